"""Which event leads to which actions. Pure functions of event, verdict, settings and history."""
