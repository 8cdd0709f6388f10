"""Records for tests: the two seeds as delivered, and sound records to break in one place."""
