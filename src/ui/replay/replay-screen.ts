/** Lines at the bottom of the terminal that are redrawn, below lines that stay. */
export type ReplayScreen = {
	/** Writes lines that stay above the live ones. */
	readonly print: (data: string) => void;
	/** Replaces the live lines; none may be wider than the window. */
	readonly show: (lines: readonly string[]) => void;
};

const erase = '\r\u001B[J';

/** Creates a screen that writes only where the cursor is and below: what the shell printed stays. */
export function createReplayScreen(write: (data: string) => void): ReplayScreen {
	let live: readonly string[] = [];
	const up = () => (live.length > 1 ? `\u001B[${live.length - 1}A` : '') + erase;
	const draw = (before: string, lines: readonly string[]) => {
		const same = before === '' && lines.length === live.length && lines.every((line, index) => line === live[index]);
		if (!same) {
			write(`${up()}${before}${lines.join('\n')}`);
			live = lines;
		}
	};
	return {print: data => draw(data, live), show: lines => draw('', lines)};
}
