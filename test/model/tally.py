"""How many cases each filter was in, and the largest part of what it may be off by that any of its results was"""
import collections


def text_of(case):
    return " ".join("%s=%s" % pair for pair in case.items())


class Tally:
    def __init__(self):
        self.count = collections.Counter()  # passed, failed, refused, NaN refused, undetermined
        self.cases, self.worst = collections.Counter(), {}

    def add(self, case, share):
        self.count["passed"] += 1
        for name in {"notch:auto" if spec == "notch:auto" else spec.split(":")[0] for spec in case["f"].split("|")}:
            self.cases[name] += 1
            self.worst[name] = max(self.worst.get(name, (-1,)), (share, text_of(case)))

    def table(self):
        return "".join("%-12s %4d cases, at most %.3g of what is allowed: %s\n" % (name, self.cases[name], *self.worst[name])
                       for name in sorted(self.cases))
