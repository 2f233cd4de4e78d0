"""Folders are watched and the index follows: `notices` hears of changes, `gathering` waits until they are whole,
`loop` takes them in, `filling` makes their vectors, and `standing` tells other processes how it stands.
"""
