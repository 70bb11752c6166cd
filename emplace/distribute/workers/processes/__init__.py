"""Worker processes: which one this is, how they start, meet, talk and watch each other."""
