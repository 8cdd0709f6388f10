"""The tests, and what they stand on: a stateful fake GitHub over real HTTP."""
