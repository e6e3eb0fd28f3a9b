#!/usr/bin/env python3
"""test_sbom.py SOURCE BUILD PROGRAM...: the bill of materials (app/sbom) of a build names every package
that its programs load or that was compiled in, with version and licence, and app/debian/copyright
everything that was compiled in."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
PROGRAMS = [Path(program) for program in sys.argv[3:]]
HEADERS_ALONE = {"libcli11-dev", "libxsimd-dev", "nlohmann-json3-dev", "pybind11-dev"}
TOOLCHAIN = {"gcc", "glibc", "linux"}  # which debian/copyright names by other words


def lines_of(*command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL).stdout.splitlines()


def bill():
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "headscope.cdx.json"
        copyrights = Path(folder) / "licences"
        subprocess.run([SOURCE / "app" / "sbom", BUILD, "-o", output, "--copyrights", copyrights,
                        *PROGRAMS], check=True)
        return output.read_bytes(), set(os.listdir(copyrights))


def version_of(package):
    return lines_of("dpkg-query", "--show", "--showformat=${Version}\\n", package)[0]


def packages_needed(program):
    """By the dynamic section of the program and the loader's own list."""
    needed = {line.split()[1] for line in lines_of("objdump", "-p", program) if "  NEEDED" in line}
    packages = set()
    for line in lines_of("ldd", program):
        words = line.split()
        if words[0] in needed and words[1] == "=>":
            path = os.path.realpath(words[2])
            owner = lines_of("dpkg", "-S", path) or lines_of("dpkg", "-S", path.removeprefix("/usr"))
            if owner:
                packages.add(owner[0].split(":")[0])
    return packages


class Bill(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text, cls.copyrights = bill()
        cls.bill = json.loads(cls.text)
        cls.components = {component["name"]: component for component in cls.bill["components"]}

    def uses(self, component):
        return {p["value"] for p in component.get("properties", []) if p["name"] == "headscope:use"}

    def test_it_is_the_same_every_time(self):
        self.assertEqual(bill()[0], self.text)

    def test_it_says_what_it_is(self):
        self.assertEqual(self.bill["bomFormat"], "CycloneDX")
        references = [component["bom-ref"] for component in self.bill["components"]]
        self.assertEqual(len(references), len(set(references)))
        known = {*references, "headscope"}
        for dependency in self.bill["dependencies"]:
            self.assertLessEqual({dependency["ref"], *dependency["dependsOn"]}, known)

    def test_every_library_of_every_program(self):
        wanted_by = {entry["ref"]: set(entry["dependsOn"]) for entry in self.bill["dependencies"]}
        for program in PROGRAMS:
            needed = packages_needed(program)
            self.assertIn("libc6", needed, program)
            for package in needed:
                self.assertIn(package, sorted(self.components), program)
                self.assertIn("shared library", self.uses(self.components[package]), package)
                self.assertIn(self.components[package]["bom-ref"],
                              wanted_by[self.components[program.name]["bom-ref"]], program)

    def test_what_is_in_headers_alone(self):
        for package in HEADERS_ALONE:
            self.assertIn(package, sorted(self.components))
            self.assertIn("headers", self.uses(self.components[package]))

    def test_versions_and_licences(self):
        self.assertGreater(len(self.components), len(PROGRAMS) + len(HEADERS_ALONE))
        for name, component in self.components.items():
            names = [each["license"].get("name") or each["license"].get("id")
                     for each in component["licenses"]]
            self.assertTrue(names and all(names), name)
            if component["type"] == "library":
                self.assertEqual(component["version"], version_of(name), name)
                self.assertIn(name, self.copyrights)

    def test_debian_copyright_names_what_is_compiled_in(self):
        text = (SOURCE / "app" / "debian" / "copyright").read_text()
        for name, component in self.components.items():
            if self.uses(component) & {"headers", "archive"}:
                source = next(p["value"] for p in component["properties"]
                              if p["name"] == "debian:source")
                source = source.split(".")[0] if source.startswith("python3") else source
                if source.rstrip("-.0123456789") not in TOOLCHAIN and source != "linux":
                    self.assertRegex(text, rf"(?m)^ (.*, )?{source}[:,]", name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
