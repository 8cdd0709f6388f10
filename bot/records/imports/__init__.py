"""Taking over upstream's records: what a dataset holds is checked first, then swapped in, errata untouched."""
