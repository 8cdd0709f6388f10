"""How good the verdicts are, measured on labelled issues. Pure: cases and answers in, figures and a page out."""
