"""The run against GitHub's own API description: `python -m tests.contract`."""
