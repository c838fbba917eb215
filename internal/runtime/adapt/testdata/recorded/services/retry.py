"""Here for linters to look at."""


def retry(error):
    """Say whether to try again."""
    if error == None:
        return False
    return True
