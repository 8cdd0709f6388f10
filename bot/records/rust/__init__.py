"""Reading Rust source: literals, error sites with their surroundings, definitions. Needs the `checkout` extra."""
