// The settings of `typebox/system`: one record that every other module of this folder reads.
const defaults = {
  immutableTypes: false,
  maxErrors: 8,
  maxInstantiationCount: 128,
  useAcceleration: true,
  exactOptionalPropertyTypes: false,
  enumerableKind: false,
  correctiveParse: false,
  unionPrioritySort: true,
};

/** The settings in force. Read fields when they are needed; do not keep copies. */
export const current: any = { ...defaults };

/** Settings as the published API offers them. */
export const Settings = {
  Get: () => current,
  Set(options: any) {
    for (const key of Object.keys(options)) {
      if (options[key] !== undefined) current[key] = options[key];
    }
  },
  Reset: () => void Object.assign(current, defaults),
};
