"""Deliveries and intents on SQL, claimed with leases. Does not know what an event means."""
