//! Colours by how people see them: Oklab, and Okhsl within what screens show, after Björn Ottosson's published formulas.

use super::Rgb;

/// Red, green and blue of a screen for each of the three kinds of cones in an eye.
const SCREEN: [[f64; 3]; 3] = [
    [4.076_741_636_075_958, -3.307_711_539_258_063, 0.230_969_903_182_104],
    [-1.268_437_973_285_031, 2.609_757_349_287_689, -0.341_319_376_002_657],
    [-0.004_196_076_138_676, -0.703_418_617_935_936, 1.707_614_694_074_612],
];

/// Lightness, green to red, blue to yellow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lab {
    pub(super) lightness: f64,
    pub(super) a: f64,
    pub(super) b: f64,
}

fn dot(one: [f64; 3], two: [f64; 3]) -> f64 {
    one[0] * two[0] + one[1] * two[1] + one[2] * two[2]
}

/// How much of each cone's light a step of chroma adds, for a hue.
fn slopes(a: f64, b: f64) -> [f64; 3] {
    [
        0.396_337_777_376_175 * a + 0.215_803_757_309_914 * b,
        -0.105_561_345_815_659 * a - 0.063_854_172_825_813 * b,
        -0.089_484_177_529_812 * a - 1.291_485_548_019_409 * b,
    ]
}

impl Lab {
    /// A colour by lightness, chroma and hue in degrees.
    pub(super) fn of_lch(lightness: f64, chroma: f64, hue: f64) -> Self {
        let hue = hue.to_radians();
        Self { lightness, a: chroma * hue.cos(), b: chroma * hue.sin() }
    }

    fn linear(self) -> [f64; 3] {
        let cones = slopes(self.a, self.b).map(|slope| (self.lightness + slope).powi(3));
        SCREEN.map(|row| dot(row, cones))
    }

    /// What a screen shows of it; what no screen shows is cut.
    pub(super) fn screen(self) -> Rgb {
        let [red, green, blue] = self.linear().map(|light| {
            let light = light.max(0.0);
            let share = if light >= 0.003_130_8 { 1.055 * light.powf(1.0 / 2.4) - 0.055 } else { 12.92 * light };
            (255.0 * share.clamp(0.0, 1.0)).round() as u8
        });
        Rgb { red, green, blue }
    }

    /// A colour by hue in degrees, saturation and lightness from 0 to 1, as Okhsl.
    pub(super) fn of_okhsl(hue: f64, saturation: f64, lightness: f64) -> Self {
        if lightness >= 1.0 {
            return Self { lightness: 1.0, a: 0.0, b: 0.0 };
        }
        if lightness <= 0.0 {
            return Self { lightness: 0.0, a: 0.0, b: 0.0 };
        }
        let (b, a) = hue.to_radians().sin_cos();
        let light = lab_lightness(lightness);
        let (zero, middle, most) = chromas(light, a, b);
        let chroma = if saturation < MIDDLE {
            let t = saturation / MIDDLE;
            let k1 = MIDDLE * zero;
            (t * k1) / (1.0 - (1.0 - k1 / middle) * t)
        } else {
            let t = (saturation - MIDDLE) / (1.0 - MIDDLE);
            let k1 = ((1.0 - MIDDLE) * middle * middle * (1.0 / MIDDLE).powi(2)) / zero;
            middle + (t * k1) / (1.0 - (1.0 - k1 / (most - middle)) * t)
        };
        Self { lightness: light, a: chroma * a, b: chroma * b }
    }
}

const MIDDLE: f64 = 0.8;

/// The lightness of Oklab for one of Okhsl.
fn lab_lightness(value: f64) -> f64 {
    const K1: f64 = 0.206;
    const K2: f64 = 0.03;
    const K3: f64 = (1.0 + K1) / (1.0 + K2);
    (value * value + K1 * value) / (K3 * (value + K2))
}

/// The saturation at which the first of red, green and blue is used up, for a hue.
fn most_saturation(a: f64, b: f64) -> f64 {
    let (k, weights) = if -1.881_703_28 * a - 0.809_364_93 * b > 1.0 {
        ([1.190_862_77, 1.765_767_28, 0.596_626_41, 0.755_151_97, 0.567_712_45], SCREEN[0])
    } else if 1.814_441_04 * a - 1.194_452_76 * b > 1.0 {
        ([0.739_565_15, -0.459_544_04, 0.082_854_27, 0.125_410_7, 0.145_032_04], SCREEN[1])
    } else {
        ([1.357_336_52, -0.009_157_99, -1.151_302_1, -0.505_596_06, 0.006_921_67], SCREEN[2])
    };
    let guess = k[0] + k[1] * a + k[2] * b + k[3] * a * a + k[4] * a * b;
    let slopes = slopes(a, b);
    // One step of Halley's method.
    let f = dot(weights, slopes.map(|slope| (1.0 + guess * slope).powi(3)));
    let f1 = dot(weights, slopes.map(|slope| 3.0 * slope * (1.0 + guess * slope).powi(2)));
    let f2 = dot(weights, slopes.map(|slope| 6.0 * slope * slope * (1.0 + guess * slope)));
    guess - (f * f1) / (f1 * f1 - 0.5 * f * f2)
}

/// The strongest colour of a hue.
#[derive(Clone, Copy)]
struct Cusp {
    lightness: f64,
    chroma: f64,
}

fn cusp(a: f64, b: f64) -> Cusp {
    let saturation = most_saturation(a, b);
    let linear = Lab { lightness: 1.0, a: saturation * a, b: saturation * b }.linear();
    let lightness = (1.0 / linear[0].max(linear[1]).max(linear[2])).cbrt();
    Cusp { lightness, chroma: lightness * saturation }
}

/// The most chroma that a screen shows for a hue at a lightness.
fn most_chroma(a: f64, b: f64, lightness: f64, cusp: Cusp) -> f64 {
    // The line from the grey of this lightness outward.
    if (lightness - cusp.lightness) * cusp.chroma <= 0.0 {
        return cusp.chroma * lightness / cusp.lightness;
    }
    let t = cusp.chroma * (lightness - 1.0) / (cusp.lightness - 1.0);
    let slopes = slopes(a, b);
    let roots = slopes.map(|slope| lightness + t * slope);
    let each = |of: fn(f64, f64) -> f64| [0, 1, 2].map(|cone| of(roots[cone], slopes[cone]));
    // One step of Halley's method for each of red, green and blue; the first that is reached counts.
    let steps = SCREEN.map(|row| {
        let f = dot(row, each(|root, _| root.powi(3))) - 1.0;
        let f1 = dot(row, each(|root, slope| 3.0 * slope * root * root));
        let f2 = dot(row, each(|root, slope| 6.0 * slope * slope * root));
        let u = f1 / (f1 * f1 - 0.5 * f * f2);
        if u >= 0.0 { -f * u } else { f64::MAX }
    });
    t + steps[0].min(steps[1]).min(steps[2])
}

/// Chroma at no, at middling and at full saturation, for a lightness and a hue.
fn chromas(lightness: f64, a: f64, b: f64) -> (f64, f64, f64) {
    let top = cusp(a, b);
    let most = most_chroma(a, b, lightness, top);
    let (s_max, t_max) = (top.chroma / top.lightness, top.chroma / (1.0 - top.lightness));
    let s_mid = 0.115_169_93
        + 1.0
            / (7.447_789_7
                + 4.159_012_4 * b
                + a * (-2.195_573_47
                    + 1.751_984_01 * b
                    + a * (-2.137_049_48 - 10.023_010_43 * b
                        + a * (-4.248_945_61 + 5.387_708_19 * b + 4.698_910_13 * a))));
    let t_mid = 0.112_396_42
        + 1.0
            / (1.613_203_2 - 0.681_243_79 * b
                + a * (0.403_706_12
                    + 0.901_481_23 * b
                    + a * (-0.270_879_43
                        + 0.612_239_9 * b
                        + a * (0.002_992_15 - 0.453_995_68 * b - 0.146_618_72 * a))));
    let k = most / (lightness * s_max).min((1.0 - lightness) * t_max);
    let (mid_a, mid_b) = (lightness * s_mid, (1.0 - lightness) * t_mid);
    let middle = 0.9 * k * (1.0 / (1.0 / mid_a.powi(4) + 1.0 / mid_b.powi(4))).sqrt().sqrt();
    let (zero_a, zero_b) = (lightness * 0.4, (1.0 - lightness) * 0.8);
    let zero = (1.0 / (1.0 / zero_a.powi(2) + 1.0 / zero_b.powi(2))).sqrt();
    (zero, middle, most)
}
