// The colours of the built-in themes.

type Palette = { fg: Record<string, string>; bg: Record<string, string> };

function palette(named: Record<string, string>, fg: string, bg: string): Palette {
  const read = (text: string) =>
    Object.fromEntries(
      text.trim().split(/\s+/).map((pair) => {
        const [name, color] = pair.split("=");
        return [name, named[color] ?? ""];
      }),
    );
  return { fg: read(fg), bg: read(bg) };
}

const FG = `accent=teal border=blue borderAccent=cyan borderMuted=gray3 success=green error=red warning=yellow
  muted=gray1 dim=gray2 text=none thinkingText=gray1 scrollbarTrack=gray3 scrollbarThumb=gray1 searchMatchText=ink
  userMessageText=none customMessageText=none customMessageLabel=violet toolTitle=none toolOutput=gray1
  mdHeading=gold mdLink=blue mdLinkUrl=gray2 mdCode=teal mdCodeBlock=green mdCodeBlockBorder=gray1 mdQuote=gray1
  mdQuoteBorder=gray1 mdHr=gray1 mdListBullet=teal toolDiffAdded=green toolDiffRemoved=red toolDiffContext=gray1
  syntaxComment=moss syntaxKeyword=blue syntaxFunction=gold syntaxVariable=cyan syntaxString=clay syntaxNumber=lime
  syntaxType=teal syntaxOperator=none syntaxPunctuation=none thinkingOff=gray3 thinkingMinimal=gray2 thinkingLow=blue
  thinkingMedium=teal thinkingHigh=violet thinkingXhigh=rose thinkingMax=red bashMode=green`;

const BG = `selectedBg=selected searchMatchBg=match userMessageBg=user customMessageBg=custom toolPendingBg=pending
  toolSuccessBg=good toolErrorBg=bad`;

/** For dark terminals. */
export const DARK: Palette = palette(
  {
    teal: "#7fc8c2", blue: "#6fa3e0", cyan: "#7ad1f0", green: "#a9c77d", red: "#e06c6c", yellow: "#e8c860",
    violet: "#b197e8", gold: "#f0c674", clay: "#d99a7c", lime: "#b8d8a0", moss: "#76995a", rose: "#dd86b8",
    gray1: "#8c8c8c", gray2: "#6a6a6a", gray3: "#4c4c4c", ink: "#101010", selected: "#3a3f4e", match: "#d9b44a",
    user: "#343640", custom: "#2f2a3c", pending: "#282a33", good: "#283329", bad: "#3a2828",
  },
  FG,
  BG,
);

/** For light terminals. */
export const LIGHT: Palette = palette(
  {
    teal: "#2f7d78", blue: "#2b5fb3", cyan: "#14758f", green: "#4a7a2c", red: "#b3382f", yellow: "#8f6a00",
    violet: "#6a46b8", gold: "#8a5a00", clay: "#a04d25", lime: "#47752f", moss: "#5f7a4a", rose: "#a83a78",
    gray1: "#6b6b6b", gray2: "#858585", gray3: "#b5b5b5", ink: "#101010", selected: "#d5dcec", match: "#f3d37a",
    user: "#e9e9ee", custom: "#ece6f5", pending: "#e9ebf2", good: "#e3efe0", bad: "#f5e2e0",
  },
  FG,
  BG,
);
