// The choice of a message of the user to go on from.
import { theme } from "../../../host/theme.ts";
import { hints, isKey, Panel, RowList, shade, type InnerList } from "./panel.ts";

type Message = { id: string; text: string; timestamp?: string };

/** The messages, the latest last. */
class UserMessageList extends RowList<Message> {
  readonly capturesViewportInput = true;
  onSelect: ((entryId: string) => void) | undefined;
  onCancel: (() => void) | undefined;

  constructor(messages: Message[], initialSelectedId?: string) {
    const count = messages.length;
    super(messages, {
      row: (message, isSelected) => {
        const at = theme.fg("muted", ` (${messages.indexOf(message) + 1} of ${count})`);
        return shade(message.text.replace(/\s+/g, " ").trim(), isSelected) + at;
      },
      empty: "No messages",
    });
    const at = messages.findIndex(({ id }) => id === initialSelectedId);
    this.setItems(messages, at >= 0 ? at : count - 1);
  }

  handleInput(data: string): boolean {
    if (isKey(data, "tui.select.cancel")) this.onCancel?.();
    else if (isKey(data, "tui.select.confirm")) {
      if (this.current) this.onSelect?.(this.current.id);
    } else return super.handleInput(data);
    return true;
  }
}

/** Asks for a message of the user. */
export class UserMessageSelectorComponent extends Panel {
  private readonly messageList: UserMessageList;

  constructor(messages: Message[], onSelect: (entryId: string) => void, onCancel: () => void, initialSelectedId?: string) {
    super("Fork from a message", "The messages before it are copied into a new session.");
    this.messageList = new UserMessageList(messages, initialSelectedId);
    this.messageList.onSelect = onSelect;
    this.messageList.onCancel = onCancel;
    this.addChild(this.messageList);
    this.close(hints(["tui.select.confirm", "select"], ["tui.select.cancel", "cancel"]));
  }

  handleInput(keyData: string): void {
    this.messageList.handleInput(keyData);
  }

  getMessageList(): InnerList {
    return this.messageList as InnerList;
  }
}
