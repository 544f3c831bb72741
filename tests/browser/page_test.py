#!/usr/bin/env python3
"""The page of `compare report --html` in a browser: nothing is fetched, no script fails, names of others stay text, and
axe finds nothing serious, in light and in dark; what is chosen, sorted and filtered shows.

usage: page_test.py BUILD      the build directory, with compare

Needs chromium (Debian's) and, from the package index, playwright and axe-playwright-python. Where one of them is missing
each test is skipped, by name.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "host", "tools"))

import results  # noqa: E402

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None
MISSING = "no chromium" if not BROWSER else "no playwright or axe-playwright-python" if not sync_playwright else ""

HOSTILE = "</script><script>window.hit=1</script><img src=x onerror=window.hit=2>\"'&lt;\u202eabc\u05d0\u05d1" + 3000 * "y"


def record():
    """A run of the measured ladder as compare saves it; the samples, which results files have not, are made up."""
    header, rows = results.read(os.path.join(ROOT, "host", "results", "h200_ladder.tsv"))
    environment = {**header, "compute_capability": 90, "cores": 16, "fp32_tflops": 66.9, "memory_gb_s": 4814}
    run = {"environment": environment, "rows": [row_of(row) for row in rows]}
    worst = row_of(rows[8])
    worst.update(plugin=HOSTILE, message=HOSTILE, status="wrong", slowed_by=[HOSTILE])
    run["rows"].append(worst)
    return run


def row_of(row):
    hot, cold = row["hot_ms"], row["cold_ms"]
    samples = [hot * (1 + 0.001 * (7 * i % 11 - 5)) for i in range(30)]
    return {
        "plugin": row["plugin"], "path": "", "sha256": "", "device": "cuda", "arithmetic": "FP32", "shape": row["shape"],
        "status": row["status"], "message": "", "class": row["class"], "max_error": 1e-5, "rho": row["rho"], "bound": 500,
        "normwise": 4e-7 * (row["error_ratio"] or 1), "error_ratio": row["error_ratio"], "sampled": False,
        "wrong_elements": 0, "nan_elements": 0, "inf_elements": 0, "unwritten_elements": 0, "time_ms": samples,
        "baseline_ms": [sample * (row["ratio"] or 1) for sample in samples], "cold_ms": [cold, cold],
        "baseline_cold_ms": [cold, cold], "first_ms": row["first_ms"], "loops": 3, "waits": False, "mean_ms": hot,
        "deviation_ms": 0.001 * hot, "median_ms": hot, "cold_median_ms": cold, "tflops": row["tflops"],
        "baseline": "00_cublas_fp32", "ratio": row["ratio"], "cold_ratio": row["cold_ratio"],
        "ratio_interval": [row["low"], row["high"]] if row["low"] else None, "slowed_by": [], "regression": "",
        "kernels": [{"name": "k<1>", "launches": 1, "grid": [4, 4, 1], "block": [256, 1, 1], "shared_bytes": 8192,
                     "registers": 128, "local_bytes": 0}],
    }  # fmt: skip


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if MISSING:
            return
        cls.folder = tempfile.TemporaryDirectory()
        saved, cls.file = (os.path.join(cls.folder.name, name) for name in ("run.json", "page.html"))
        with open(saved, "w", encoding="utf-8") as file:
            json.dump(record(), file)
        subprocess.run([os.path.join(BUILD, "compare"), "report", saved, saved, "--html", cls.file], check=True)
        cls.playwright = sync_playwright().start()
        # The sandbox needs a kernel's leave that containers have not; the page is our own.
        cls.browser = cls.playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        if not MISSING:
            cls.browser.close()
            cls.playwright.stop()
            cls.folder.cleanup()

    def setUp(self):
        self.contexts, self.faults, self.requests = [], [], []

    def tearDown(self):
        for context in self.contexts:
            context.close()

    def skipped(self):
        if MISSING:
            print(f"\nSKIPPED: the page in a browser, {self._testMethodName}: {MISSING}", flush=True)
        return bool(MISSING)

    def open(self, **options):
        context = self.browser.new_context(viewport={"width": 1200, "height": 900}, **options)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: self.requests.append(request.url[:80]))
        page.goto("file://" + self.file)
        return page

    def test_nothing_is_fetched_and_no_script_fails(self):
        if self.skipped():
            return
        page = self.open()
        page.locator("#all-rows th button").first.click()
        page.locator("#filter").fill("naive 4096x")
        page.locator("#roofline use").nth(5).hover(force=True)
        self.assertEqual(self.requests, ["file://" + self.file])
        self.assertEqual(self.faults, [])

    def test_names_of_others_stay_text(self):
        if self.skipped():
            return
        page = self.open()
        self.assertIsNone(page.evaluate("window.hit || null"))
        self.assertEqual(page.locator("img").count(), 0)
        self.assertEqual(page.locator("script").count(), 1)
        self.assertIn("</script><script>window.hit=1</script><img", page.locator(".messages").inner_text())
        self.assertFalse(page.evaluate("document.documentElement.scrollWidth > innerWidth"))

    def test_axe_finds_nothing_serious(self):
        if self.skipped():
            return
        for scheme in ("light", "dark"):
            page = self.open(color_scheme=scheme, bypass_csp=True)
            found = Axe().run(page).response["violations"]
            serious = [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found
                       if each["impact"] in ("serious", "critical")]  # fmt: skip
            self.assertEqual(serious, [], scheme)

    def test_a_shape_is_chosen_without_javascript(self):
        if self.skipped():
            return
        page = self.open(java_script_enabled=False)
        first, other = (page.locator(f"#staircase .panel.p{number}") for number in (page.locator(".shape").count() - 1, 0))
        self.assertTrue(first.is_visible() and not other.is_visible())
        page.locator("#shape-0").check()
        self.assertTrue(other.is_visible() and not first.is_visible())
        self.assertTrue(page.locator("#all-rows").is_visible())
        self.assertFalse(page.locator("#theme").is_visible() or page.locator("#filter").is_visible())

    def test_tables_are_sorted_and_filtered(self):
        if self.skipped():
            return
        page = self.open()
        page.locator("#filter").fill("naive 8192x8192")
        self.assertEqual(page.locator("#all-rows tbody tr:visible").count(), 2)
        page.locator("#filter").fill("FP32 4096x4096x4096")
        column = page.locator("#all-rows thead th").all_text_contents().index("TFLOP/s")
        press = page.locator("#all-rows thead button").nth(column)
        for descending in (False, True):
            press.click()
            rows = page.locator("#all-rows tbody tr:visible").all()
            speeds = [float(row.locator("th, td").nth(column).inner_text()) for row in rows]
            self.assertGreater(len(speeds), 20)
            self.assertEqual(speeds, sorted(speeds, reverse=descending))

    def test_the_theme_is_the_systems_until_it_is_chosen(self):
        if self.skipped():
            return
        background = "getComputedStyle(document.body).backgroundColor"
        page = self.open(color_scheme="dark")
        dark = page.evaluate(background)
        page.locator("#theme").click()
        light = page.evaluate(background)
        self.assertNotEqual(dark, light)
        self.assertEqual(self.open(color_scheme="light").evaluate(background), light)
        page.emulate_media(media="print")
        self.assertFalse(page.locator("#theme").is_visible() or page.locator(".bar").is_visible())

    def test_the_record_can_be_saved(self):
        if self.skipped():
            return
        page = self.open(accept_downloads=True)
        with page.expect_download() as download:
            page.locator("a[download]").click()
        with gzip.open(download.value.path()) as file:
            self.assertEqual(len(json.load(file)["rows"]), len(record()["rows"]))


if __name__ == "__main__":
    BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else "build"
    unittest.main()
