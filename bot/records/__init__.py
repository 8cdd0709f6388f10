"""Records: schema, loading, errata, trust, linting. Knows nothing of GitHub, Flask or the database."""
