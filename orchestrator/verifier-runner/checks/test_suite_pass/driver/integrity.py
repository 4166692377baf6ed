"""Fingerprints of the test runner and of what tests judge by: taken before anything of the repository is imported, compared afterwards.

A fingerprint is the object itself and, for functions, its code, defaults and what it closes over. Replacing, wrapping or patching any of them
shows; so does a new name that hides a built-in one.
"""
import builtins
import operator
import sys
import types

RUNNER = ("pytest", "_pytest", "pluggy", "iniconfig", "unittest")
# The part of the runner that a test's outcome goes through: looked at once more right before each test's body.
VITAL = ("_pytest.python", "_pytest.runner", "_pytest.reports", "_pytest.outcomes", "_pytest.skipping", "_pytest.unittest", "_pytest.nodes", "pytest", "pluggy", "unittest.case")
# What an assertion's outcome rests on, besides the runner. Libraries have no business in changing these for everyone.
GROUND = ("math", "_pydecimal", "decimal", "_decimal", "fractions", "numbers", "operator", "_operator", "functools", "contextlib", "copy", "re", "abc")
# Set by pytest itself, at its start or around every test.
OWN_CHANGES = {
    ("_pytest.assertion.util", "_reprcompare"),
    ("_pytest.assertion.util", "_assertion_pass"),
    ("_pytest.config.Config", "_getini_unknown_type"),
}
CLASS_NAMES_IGNORED = {"__abstractmethods__", "__annotations__", "__doc__", "__dict__", "__weakref__", "__slotnames__", "_abc_impl"}

Function = types.FunctionType
CALLABLE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.ClassMethodDescriptorType,
    types.ModuleType,
    type,
    property,
    staticmethod,
    classmethod,
)
MISSING = object()


def belongs(name, roots):
    return any(name == root or name.startswith(root + ".") for root in roots)


def functions_in(value):
    """The functions inside a value: itself, or what a property or a class or static method wraps."""
    if type(value) is Function:
        return [value]
    if type(value) in (staticmethod, classmethod):
        return functions_in(value.__func__)
    if type(value) is property:
        return [one for part in (value.fget, value.fset, value.fdel) if part is not None for one in functions_in(part)]
    wrapped = getattr(value, "__wrapped__", None) if callable(value) and not isinstance(value, type) else None
    return [wrapped] if type(wrapped) is Function else []


def cells(function):
    contents = []
    for cell in function.__closure__ or ():
        try:
            contents.append(cell.cell_contents)
        except ValueError:
            contents.append(MISSING)
    return contents


class Space:
    """The names of a module or class, and what they must stand for."""

    __slots__ = ("label", "names", "expected", "known", "is_class", "keys", "values")

    def __init__(self, label, names, is_class):
        self.label = label
        self.names = names
        self.is_class = is_class
        self.known = frozenset(names)
        self.expected = [
            (name, value) for name, value in list(names.items()) if isinstance(value, CALLABLE) and (label, name) not in OWN_CHANGES
        ]
        self.keys = tuple(name for name, _ in self.expected)
        self.values = tuple(value for _, value in self.expected)

    def is_untouched(self, every=all, each=map, same=operator.is_, length=len):
        """In C throughout: this is asked before every test, and must not call anything that an object can define."""
        names = self.names
        return length(names) == length(self.known) and every(each(same, each(names.get, self.keys), self.values))

    def changes(self, hidden, is_late_addition):
        names = self.names
        for name, value in self.expected:
            if names.get(name, MISSING) is not value:
                yield f"{self.label}.{name}"
        if len(names) != len(self.known):
            for name, value in list(names.items()):
                if name in self.known or not isinstance(value, CALLABLE):
                    continue
                # A new name matters in a class, where it may override, and in a module, where it may hide a built-in one.
                if (self.is_class and name not in CLASS_NAMES_IGNORED and not is_late_addition(value)) or (not self.is_class and name in hidden):
                    yield f"{self.label}.{name}"


class Fingerprints:
    def __init__(self):
        self.hidden = frozenset(vars(builtins))
        self.classes = set()
        self.modules = []
        self.core = []
        self.vital = []
        self.vital_functions = ((), (), ())
        self.wide = []
        self.functions, self.labels, self.codes, self.defaults, self.kwdefaults = [], [], [], [], []
        self.instructions = []
        self.closures = []
        self.function_ids = set()
        self.paths = []

    def add_module(self, name, module, spaces):
        self.modules.append((name, module))
        self.add_space(name, vars(module), False, spaces)
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == name:
                self.add_class(value, spaces)

    def add_class(self, cls, spaces):
        label = f"{cls.__module__}.{cls.__qualname__}"
        if id(cls) in self.classes:
            return
        self.classes.add(id(cls))
        self.add_space(label, cls.__dict__, True, spaces)
        for value in list(cls.__dict__.values()):
            if isinstance(value, type) and value.__module__ == cls.__module__ and value.__qualname__.startswith(cls.__qualname__ + "."):
                self.add_class(value, spaces)

    def add_space(self, label, names, is_class, spaces):
        space = Space(label, names, is_class)
        spaces.append(space)
        for name, value in space.expected:
            for function in functions_in(value):
                self.function_ids.add(id(function))
                self.functions.append(function)
                self.labels.append(f"{label}.{name}")
                self.codes.append(function.__code__)
                self.instructions.append(function.__code__.co_code)
                self.defaults.append(function.__defaults__)
                self.kwdefaults.append(function.__kwdefaults__)
                if function.__closure__:
                    self.closures.append((f"{label}.{name}", function, cells(function)))

    def is_late_addition(self, value):
        """Pytest adds properties for its old path type when it starts; their functions are in a module of its own."""
        functions = functions_in(value)
        return bool(functions) and all(
            function.__module__ == "_pytest.legacypath" and id(function) in self.function_ids for function in functions
        )

    def code_changes(self, pairs, every=all, each=map, same=operator.is_, code_of=operator.attrgetter("__code__")):
        labels, functions, codes = pairs
        if every(each(same, each(code_of, functions), codes)):
            return []
        return [label for label, function, code in zip(labels, functions, codes) if function.__code__ is not code]

    def function_changes(self):
        changed = self.code_changes((self.labels, self.functions, self.codes))
        for label, function, defaults, kwdefaults in zip(self.labels, self.functions, self.defaults, self.kwdefaults):
            if function.__defaults__ is not defaults or function.__kwdefaults__ is not kwdefaults:
                changed.append(label)
        # The same code object, its instructions overwritten in memory.
        changed.extend(label for label, code, instructions in zip(self.labels, self.codes, self.instructions) if code.co_code != instructions)
        for label, function, contents in self.closures:
            now = cells(function)
            changed.extend(label for index, value in enumerate(contents) if isinstance(value, CALLABLE) and now[index] is not value)
        return changed

    def interpreter_changes(self):
        if sys.gettrace() is not None:
            yield "sys.settrace"
        if sys.getprofile() is not None:
            yield "sys.setprofile"
        for name, expected in self.paths:
            if not set(map(id, getattr(sys, name))) <= set(map(id, expected)):
                yield f"sys.{name}"

    def in_spaces(self, spaces):
        found = []
        for space in spaces:
            if not space.is_untouched():
                found.extend(space.changes(self.hidden, self.is_late_addition))
        return found

    def vital_changes(self):
        """Right before a test's body: what tests themselves have no reason to patch."""
        return self.in_spaces(self.vital)

    def runner_changes(self):
        """Between tests, when what a test patched is as it was."""
        return self.in_spaces(self.core) + self.code_changes(self.vital_functions)

    def all_changes(self):
        found = [f"sys.modules[{name!r}]" for name, module in self.modules if sys.modules.get(name) is not module]
        return found + self.in_spaces(self.core) + self.in_spaces(self.wide) + self.function_changes() + list(self.interpreter_changes())

    def choose_vital(self):
        self.vital = [space for space in self.core if belongs(space.label, VITAL)]
        chosen = [(label, function, code) for label, function, code in zip(self.labels, self.functions, self.codes) if belongs(label, VITAL)]
        self.vital_functions = tuple(zip(*chosen))

    def import_machinery_settled(self):
        """After the runner has put its own hooks in place, and before the repository's code is imported."""
        self.paths = [("meta_path", list(sys.meta_path)), ("path_hooks", list(sys.path_hooks))]


def take_fingerprints():
    taken = Fingerprints()
    for name, module in sorted(sys.modules.items()):
        if module is None:
            continue
        if belongs(name, RUNNER):
            taken.add_module(name, module, taken.core)
        elif belongs(name, GROUND):
            taken.add_module(name, module, taken.wide)
    taken.add_space("builtins", vars(builtins), False, taken.core)
    for value in list(vars(builtins).values()):
        if isinstance(value, type) and value.__module__ == "builtins":
            taken.add_class(value, taken.wide)
    taken.choose_vital()
    taken.import_machinery_settled()
    return taken
