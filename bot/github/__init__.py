"""GitHub: PyGithub behind a small typed Protocol; auth, retries, limits, marker look-up. Knows no policy."""
