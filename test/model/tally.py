"""How many cases each filter was in, and the largest part of what it may be off by that any of its results was"""
import collections


class Tally:
    def __init__(self):
        self.count = collections.Counter()  # passed, failed, refused, NaN refused, undetermined
        self.cases, self.worst = collections.Counter(), collections.Counter()

    def add(self, specs, share):
        self.count["passed"] += 1
        for name in {"notch:auto" if spec == "notch:auto" else spec.split(":")[0] for spec in specs}:
            self.cases[name] += 1
            self.worst[name] = max(self.worst[name], share)

    def table(self):
        return "".join("%-12s %4d cases, at most %.3g of what is allowed\n" % (name, self.cases[name], self.worst[name])
                       for name in sorted(self.cases))
