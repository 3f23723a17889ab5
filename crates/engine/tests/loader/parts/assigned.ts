class Assigned {
  static helper = "helper";
}
namespace Assigned {
  export const inside = 1;
}
export = Assigned;
