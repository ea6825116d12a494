import type {Panel} from '../../store/view-slice.ts';

type Dependencies = {
	/** Puts text on the person's clipboard; false where the terminal cannot. */
	readonly copy: (text: string) => boolean;
	/** Opens a page in the browser; false where none could be started. */
	readonly openPage: (page: string) => Promise<boolean>;
	readonly say: (text: string) => void;
};

/** What the keys do while a login waits for the browser; all others do nothing. */
export function pressInDevicePanel(
	chord: string,
	{code, page, pageWithCode, opens}: Extract<Panel, {kind: 'device'}>,
	{copy, openPage, say}: Dependencies,
): void {
	const tell = (copied: boolean, what: string) =>
		say(copied ? `${what} was given to the terminal’s clipboard.` : 'This terminal takes no copies.');
	if (chord === 'c') {
		tell(copy(code), 'The code');
	} else if (chord === 'u') {
		tell(copy(page), 'The address');
	} else if (chord === 'enter' && opens) {
		void openPage(pageWithCode).then(opened =>
			say(opened ? 'The page was opened in your browser.' : 'No browser could be started: open the page yourself.'),
		);
	}
}
