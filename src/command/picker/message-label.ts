import {plainText} from '../../terminal/text/ansi.ts';
import {createPalette} from '../../terminal/text/style.ts';

/** Most characters of a message in a list. */
const maxLabel = 60;

/** What is read of an answer to find the words of its label, in UTF-16 units. */
const maxRead = 1000;

/** Lines that only frame code and tables. */
const isFrame = (line: string) => /^(?:──.*|[─│┌┐└┘├┤┬┴┼\s]*)$/.test(line);

/** Returns the beginning of an answer of the agent as one line, without the signs of its Markdown. */
export async function answerLabel(text: string): Promise<string> {
	const {renderMarkdown} = await import('../../terminal/markdown/markdown.ts');
	const lines = renderMarkdown(text.slice(0, maxRead), {width: maxRead, palette: createPalette({color: true})});
	return messageLabel(
		lines
			.map(plainText)
			.filter(line => !isFrame(line))
			.join(' ')
			.replace(/ *│ */g, ' '),
	);
}

/** Returns the beginning of a message as one line, to choose it from a list. */
export function messageLabel(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > maxLabel ? `${line.slice(0, maxLabel)}…` : line;
}
