// Names of units and currencies in English.

/** Per unit: short form (with a space where it is set off), plural of it, narrow form, long form. */
const UNITS = `acre| ac|| ac|acre
bit| bit||bit|bit
byte| byte||B|byte
celsius|°C||°C|degree Celsius,degrees Celsius
centimeter| cm||cm|centimeter
day| day| days|d|day
degree| deg||°|degree
fahrenheit|°F||°|degree Fahrenheit,degrees Fahrenheit
fluid-ounce| fl oz||fl oz|fluid ounce
foot| ft||′|foot,feet
gallon| gal||gal|gallon
gigabit| Gb||Gb|gigabit
gigabyte| GB||GB|gigabyte
gram| g||g|gram
hectare| ha||ha|hectare
hour| hr||h|hour
inch| in||″|inch,inches
kilobit| kb||kb|kilobit
kilobyte| kB||kB|kilobyte
kilogram| kg||kg|kilogram
kilometer| km||km|kilometer
liter| L||L|liter
megabit| Mb||Mb|megabit
megabyte| MB||MB|megabyte
meter| m||m|meter
microsecond| μs||μs|microsecond
mile| mi||mi|mile
mile-scandinavian| smi||smi|mile-scandinavian,miles-scandinavian
milliliter| mL||mL|milliliter
millimeter| mm||mm|millimeter
millisecond| ms||ms|millisecond
minute| min||m|minute
month| mth| mths|m|month
nanosecond| ns||ns|nanosecond
ounce| oz||oz|ounce
percent|%||%|percent,percent
petabyte| PB||PB|petabyte
pound| lb||#|pound
second| sec||s|second
stone| st||st|stone,stones
terabit| Tb||Tb|terabit
terabyte| TB||TB|terabyte
week| wk| wks|w|week
yard| yd||yd|yard
year| yr| yrs|y|year`;

interface Unit {
  short: [one: string, other: string];
  narrow: string;
  long: [one: string, other: string];
}

let units: Map<string, Unit> | undefined;

function unitTable(): Map<string, Unit> {
  units ??= new Map(
    UNITS.split("\n").map((line): [string, Unit] => {
      const [name, short, shorts, narrow, words] = line.split("|");
      const [one, other = `${one}s`] = words.split(",");
      return [name, { short: [short, shorts || short], narrow, long: [one, other] }];
    }),
  );
  return units;
}

/** The names of all simple units. */
export function unitNames(): string[] {
  return [...unitTable().keys()];
}

/** Whether `unit` is a known unit or one per another. */
export function isUnit(unit: string): boolean {
  const parts = unit.split("-per-");
  return parts.length <= 2 && parts.every((part) => unitTable().has(part));
}

/** What follows the number: ` kB`, ` seconds`, ` km/h`. */
export function unitText(unit: string, display: string, plural: boolean): string {
  const [name, per] = unit.split("-per-");
  const { short, narrow, long } = unitTable().get(name)!;
  const index = plural ? 1 : 0;
  const own = display === "long" ? ` ${long[index]}` : display === "narrow" ? narrow : short[index];
  if (per === undefined) return own;
  if (unit === "mile-per-hour" && display !== "long") return display === "narrow" ? "mph" : " mph";
  if (unit === "mile-per-gallon" && display !== "long") return display === "narrow" ? "mpg" : " mpg";
  const other = unitTable().get(per)!;
  if (display === "long") return `${own} per ${other.long[0]}`;
  const short_ = per === "second" || per === "hour" || per === "minute" ? other.narrow : other.short[0].trim();
  return `${own}/${per === "minute" ? "min" : short_}`;
}

const SYMBOLS: Record<string, string> = {
  AUD: "A$", BRL: "R$", CAD: "CA$", CNY: "CN¥", EUR: "€", GBP: "£", HKD: "HK$", ILS: "₪", INR: "₹", JPY: "¥", KRW: "₩",
  MXN: "MX$", NZD: "NZ$", PHP: "₱", TWD: "NT$", USD: "$", VND: "₫", XCD: "EC$", XAF: "FCFA", XOF: "F\u202fCFA", XPF: "CFPF",
};

const NAMES: Record<string, string> = {
  USD: "US dollars", EUR: "euros", GBP: "British pounds", JPY: "Japanese yen", CNY: "Chinese yuan", INR: "Indian rupees",
  CAD: "Canadian dollars", AUD: "Australian dollars", CHF: "Swiss francs", SEK: "Swedish kronor", NOK: "Norwegian kroner",
  DKK: "Danish kroner", BRL: "Brazilian reals", MXN: "Mexican pesos", KRW: "South Korean won", RUB: "Russian rubles",
  PLN: "Polish zlotys", NZD: "New Zealand dollars", ZAR: "South African rand", SGD: "Singapore dollars",
  HKD: "Hong Kong dollars",
};

const NO_DECIMALS =
  "AFN ALL BIF CLP COP DJF GNF HUF IDR IQD IRR ISK JPY KMF KPW KRW LAK LBP MGA MMK PKR PYG RWF SLL SOS SYP UGX VND VUV XAF XOF XPF YER".split(" ");
const THREE_DECIMALS = "BHD JOD KWD LYD OMR TND".split(" ");

/** How many decimal places amounts of a currency have. */
export function currencyDigits(currency: string): number {
  return NO_DECIMALS.includes(currency) ? 0 : THREE_DECIMALS.includes(currency) ? 3 : 2;
}

/** The sign of a currency; codes (and other words) are set off by a space that does not break. */
export function currencySymbol(currency: string, display: string): string {
  if (display === "code") return `${currency}\u00a0`;
  let symbol = SYMBOLS[currency] ?? currency;
  if (display === "narrowSymbol") symbol = symbol.replace(/^(?:CA|A|R|HK|MX|NZ|NT|EC|CN)(?=[$¥])/, "");
  return /[A-Za-z]$/.test(symbol) ? `${symbol}\u00a0` : symbol;
}

/** The plural name of a currency, or its code. */
export function currencyName(currency: string): string {
  return NAMES[currency] ?? currency;
}

/** Currencies with a name or sign here. */
export function currencyCodes(): string[] {
  return [...new Set([...Object.keys(SYMBOLS), ...Object.keys(NAMES)])].sort();
}
