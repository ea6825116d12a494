import type {DeviceAction} from '../../../editor/keymap/default-keys.ts';
import type {Panel} from '../../../store/view-slice.ts';

type Dependencies = {
	/** Copies text to the clipboard. Returns false if the terminal doesn't support it. */
	readonly copy: (text: string) => boolean;
	/** Opens a page in the browser. Resolves to false if no browser could be started. */
	readonly openPage: (page: string) => Promise<boolean>;
	readonly say: (text: string) => void;
};

/** Does what a key is bound to while a login waits for the browser. */
export function pressInDevicePanel(
	action: DeviceAction,
	{code, page, pageWithCode, opens}: Extract<Panel, {kind: 'device'}>,
	{copy, openPage, say}: Dependencies,
): void {
	const copyAndSay = (text: string, name: string) =>
		say(copy(text) ? `Copied the ${name}.` : "Not copied: the terminal doesn't support it.");
	if (action === 'device.copy-code' && code) {
		copyAndSay(code, 'code');
	} else if (action === 'device.copy-url') {
		copyAndSay(page, 'URL');
	} else if (action === 'device.open' && opens) {
		void openPage(pageWithCode).then(opened =>
			say(opened ? 'Opened the page in your browser.' : "Couldn't start a browser. Open the page yourself."),
		);
	}
}
