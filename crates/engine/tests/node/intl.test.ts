import assert from "node:assert/strict";
import { test } from "node:test";

const date = new Date(Date.UTC(2024, 2, 5, 14, 7, 9, 45));
const NEW_YORK = { timeZone: "America/New_York" } as const;

test("dates in a time zone", () => {
  const shown: [Intl.DateTimeFormatOptions, string][] = [
    [{}, "3/5/2024"],
    [{ dateStyle: "full" }, "Tuesday, March 5, 2024"],
    [{ dateStyle: "medium", timeStyle: "short" }, "Mar 5, 2024, 9:07 AM"],
    [{ dateStyle: "long", timeStyle: "long" }, "March 5, 2024 at 9:07:09 AM EST"],
    [{ dateStyle: "short" }, "3/5/24"],
    [{ timeStyle: "full" }, "9:07:09 AM Eastern Standard Time"],
    [{ weekday: "short", month: "short", day: "numeric" }, "Tue, Mar 5"],
    [{ year: "numeric", month: "long" }, "March 2024"],
    [{ year: "numeric", month: "2-digit", day: "2-digit" }, "03/05/2024"],
    [{ hour: "2-digit", minute: "2-digit" }, "09:07 AM"],
    [{ hour: "numeric", minute: "numeric", hour12: false }, "09:07"],
    [{ hour: "numeric", minute: "numeric", second: "numeric", fractionalSecondDigits: 3 }, "9:07:09.045 AM"],
    [{ month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }, "Mar 5, 9:07 AM"],
    [{ timeZoneName: "longOffset" }, "3/5/2024, GMT-05:00"],
  ];
  for (const [options, text] of shown) {
    assert.equal(new Intl.DateTimeFormat("en-US", { ...NEW_YORK, ...options }).format(date).replaceAll("\u202f", " "), text);
  }
  assert.equal(new Intl.DateTimeFormat("en-US", { timeZone: "Europe/Berlin", timeStyle: "long" }).format(date).replaceAll("\u202f", " "), "3:07:09 PM GMT+1");
  assert.equal(new Intl.DateTimeFormat("en-US", { timeZone: "America/New_York", hour: "numeric", timeZoneName: "short" }).format(new Date("2024-07-01T12:00Z")).replaceAll("\u202f", " "), "8 AM EDT");
});

test("numeric dates of other locales", () => {
  const inLocale = (locale: string) => date.toLocaleDateString(locale, NEW_YORK);
  assert.deepEqual(["en-CA", "sv-SE", "en-GB", "de-DE"].map(inLocale), ["2024-03-05", "2024-03-05", "05/03/2024", "5.3.2024"]);
});

test("the methods of Date", () => {
  const plain = (text: string) => text.replaceAll("\u202f", " ");
  assert.equal(plain(date.toLocaleString("en-US", NEW_YORK)), "3/5/2024, 9:07:09 AM");
  assert.equal(plain(date.toLocaleDateString("en-US", { ...NEW_YORK, weekday: "long" })), "Tuesday");
  assert.equal(plain(date.toLocaleTimeString("en-US", NEW_YORK)), "9:07:09 AM");
  assert.equal(plain(date.toLocaleTimeString("en-US", { ...NEW_YORK, month: "short" })), "Mar, 9:07:09 AM");
  assert.equal(new Date(NaN).toLocaleString(), "Invalid Date");
});

test("parts, options and errors of DateTimeFormat", () => {
  const format = Intl.DateTimeFormat("en-US", { ...NEW_YORK, month: "short", day: "2-digit" });
  assert.deepEqual(format.formatToParts(date), [
    { type: "month", value: "Mar" }, { type: "literal", value: " " }, { type: "day", value: "05" },
  ]);
  assert.deepEqual(format.resolvedOptions(), {
    locale: "en-US", calendar: "gregory", numberingSystem: "latn", timeZone: "America/New_York", month: "short", day: "2-digit",
  });
  assert.equal(typeof Intl.DateTimeFormat().resolvedOptions().timeZone, "string");
  assert.equal(new Intl.DateTimeFormat("en", { timeZone: "etc/utc" }).resolvedOptions().timeZone, "UTC");
  assert.throws(() => new Intl.DateTimeFormat("en", { timeZone: "Nope/X" }), { name: "RangeError", message: "Invalid time zone specified: Nope/X" });
  assert.throws(() => format.format(NaN), { name: "RangeError" });
});

test("numbers", () => {
  const shown: [Intl.NumberFormatOptions, number | bigint, string][] = [
    [{}, 1234567.891, "1,234,567.891"], [{}, 123456789012345678n, "123,456,789,012,345,678"], [{}, -0, "-0"], [{}, 1e21, "1,000,000,000,000,000,000,000"],
    [{ maximumFractionDigits: 2 }, 1.005, "1.01"], [{ minimumFractionDigits: 2 }, 5, "5.00"], [{ maximumFractionDigits: 0 }, 2.5, "3"],
    [{ style: "percent" }, 0.256, "26%"], [{ style: "percent", maximumFractionDigits: 1 }, 0.2561, "25.6%"],
    [{ style: "currency", currency: "USD" }, -1234.5, "-$1,234.50"], [{ style: "currency", currency: "EUR" }, 9.999, "€10.00"],
    [{ style: "currency", currency: "JPY" }, 1234.5, "¥1,235"], [{ style: "currency", currency: "USD", currencySign: "accounting" }, -1, "($1.00)"],
    [{ notation: "compact" }, 1234, "1.2K"], [{ notation: "compact" }, 999999, "1M"], [{ notation: "compact", compactDisplay: "long" }, 15300000, "15 million"],
    [{ notation: "compact", maximumFractionDigits: 2 }, 1234567, "1.23M"], [{ notation: "scientific" }, 1234.5, "1.235E3"],
    [{ style: "unit", unit: "kilobyte" }, 1500, "1,500 kB"], [{ style: "unit", unit: "second", unitDisplay: "long" }, 1, "1 second"],
    [{ style: "unit", unit: "kilometer-per-hour" }, 50, "50 km/h"], [{ useGrouping: false }, 12345, "12345"], [{ minimumIntegerDigits: 2 }, 7, "07"],
    [{ maximumSignificantDigits: 3 }, 123456, "123,000"], [{ signDisplay: "always" }, 5, "+5"],
  ];
  for (const [options, value, text] of shown) assert.equal(new Intl.NumberFormat("en-US", options).format(value), text);
  assert.deepEqual(new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).formatToParts(1234.5), [
    { type: "currency", value: "$" }, { type: "integer", value: "1" }, { type: "group", value: "," },
    { type: "integer", value: "234" }, { type: "decimal", value: "." }, { type: "fraction", value: "50" },
  ]);
  assert.equal((1234.5).toLocaleString(), "1,234.5");
  assert.equal((1234.5).toLocaleString("de-DE"), "1.234,5");
  assert.equal(12345678n.toLocaleString("en-US"), "12,345,678");
  assert.equal([1234, 5].toLocaleString("en-US", { minimumFractionDigits: 1 } as any), "1,234.0,5.0");
  assert.throws(() => new Intl.NumberFormat("en", { style: "currency" }), TypeError);
});

test("order of strings", () => {
  const words = ["b", "a", "B", "ä", "Z", "10", "2", "é", "e", "_x", "co-op", "coop", "résumé", "resume", "ß", "ss"];
  const sorted = (options?: Intl.CollatorOptions) => [...words].sort(new Intl.Collator("en", options).compare).join(" ");
  assert.equal(sorted(), "_x 10 2 a ä b B co-op coop e é resume résumé ss ß Z");
  assert.equal(sorted({ numeric: true }), "_x 2 10 a ä b B co-op coop e é resume résumé ss ß Z");
  assert.deepEqual(
    [
      "a".localeCompare("B"), "a".localeCompare("A"), "a".localeCompare("á", undefined, { sensitivity: "base" }),
      "a".localeCompare("A", "en", { sensitivity: "accent" }), "a2".localeCompare("a10", undefined, { numeric: true }), "x".localeCompare("x"),
    ],
    [-1, -1, 0, 0, -1, 0],
  );
});

test("plurals, relative times, lists", () => {
  const ordinal = new Intl.PluralRules("en", { type: "ordinal" });
  assert.deepEqual([1, 2, 3, 4, 11, 21, 112].map((n) => ordinal.select(n)), ["one", "two", "few", "other", "other", "one", "other"]);
  assert.deepEqual([0, 1, 1.5].map((n) => new Intl.PluralRules("en").select(n)), ["other", "one", "other"]);
  const auto = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  assert.deepEqual([auto.format(-1, "day"), auto.format(0, "second"), auto.format(1, "weeks"), auto.format(-3, "month")], ["yesterday", "now", "next week", "3 months ago"]);
  assert.equal(new Intl.RelativeTimeFormat("en", { style: "narrow" }).format(-5, "minute"), "5m ago");
  assert.equal(new Intl.RelativeTimeFormat("en").format(1, "hour"), "in 1 hour");
  assert.equal(new Intl.ListFormat("en").format(["a", "b", "c"]), "a, b, and c");
  assert.equal(new Intl.ListFormat("en", { type: "disjunction" }).format(["a", "b"]), "a or b");
});

test("Segmenter", () => {
  const graphemes = [...new Intl.Segmenter("en").segment("e\u0301👨‍👩‍👧x🇩🇪")].map(({ segment, index }) => [segment, index]);
  assert.deepEqual(graphemes, [["e\u0301", 0], ["👨‍👩‍👧", 2], ["x", 10], ["🇩🇪", 11]]);
  const words = new Intl.Segmenter("en", { granularity: "word" }).segment("Hello, wörld! 3.5");
  assert.deepEqual([...words].filter((part) => part.isWordLike).map((part) => part.segment), ["Hello", "wörld", "3.5"]);
  assert.deepEqual(words.containing(8), { segment: "wörld", index: 7, input: "Hello, wörld! 3.5", isWordLike: true });
  assert.equal(words.containing(99), undefined);
  const sentences = new Intl.Segmenter("en", { granularity: "sentence" }).segment("Hi there. How are you?");
  assert.deepEqual([...sentences].map((part) => part.segment), ["Hi there. ", "How are you?"]);
});

test("the rest of Intl", () => {
  assert.equal(Object.prototype.toString.call(Intl), "[object Intl]");
  assert.deepEqual(Intl.getCanonicalLocales(["EN-us", "de"]), ["en-US", "de"]);
  assert.deepEqual(Intl.NumberFormat.supportedLocalesOf(["en", "xx"]), ["en"]);
  assert.ok(Intl.supportedValuesOf("timeZone").includes("America/New_York"));
  assert.equal(new Intl.DisplayNames("en", { type: "region" }).of("US"), "United States");
  assert.equal(new Intl.Locale("en-Latn-GB").region, "GB");
  assert.throws(() => new Intl.NumberFormat("not a locale"), RangeError);
});
