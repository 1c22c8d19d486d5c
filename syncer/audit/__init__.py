"""Comparing what is stored with what GitHub holds, where GitHub says nothing of a change.

`plan` and `compare` are pure; `rows`, `labels` and `reading` ask; `auditor` makes one pass of them
and queues what differs; `session` is an audit from its price to its summary.
"""
