"""One module a command: thin shells over the rooms."""
