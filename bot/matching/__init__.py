"""Matching: text → evidence → candidates → verdict with the words that matched. Pure; knows no server and no files."""
