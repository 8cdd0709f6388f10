"""Issues by the thousand: what burn's reporters write, made from a catalogue with a fixed seed. Pure; no files read."""
