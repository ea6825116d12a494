import {levelOf} from '../../src/logs/levels.ts';
import {createLogBuffer, type LogBuffer} from '../../src/logs/log-buffer.ts';
import type {OpenLog} from '../../src/store/logs-slice.ts';
import {type InputToken, textToken} from '../../src/terminal/input/token.ts';
import {createTokenizer} from '../../src/terminal/input/tokenizer.ts';
import type {Viewport} from '../../src/ui/logs/log-scroll.ts';
import {createShownLines} from '../../src/ui/logs/shown-lines.ts';

export const shop = '5eefeae8-8984-4215-b996-8327dc314d7f';
export const triage = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';

/** A log as the store knows it. */
export function openLog(given: Partial<OpenLog> = {}): OpenLog {
	return {
		environment: shop,
		server: 'http://127.0.0.1:8700',
		title: 'web-shop',
		hue: 0,
		openedAt: 0,
		state: {name: 'live', isComplete: true},
		lines: 0,
		droppedLines: 0,
		gaps: 0,
		unread: 0,
		...given,
	};
}

/** A buffer with these lines, one a second. */
export function logOf(lines: readonly string[]): LogBuffer {
	const log = createLogBuffer();
	for (const text of lines) {
		push(log, text);
	}

	return log;
}

export function push(log: LogBuffer, text: string): void {
	const seq = log.end() + 1;
	log.push({kind: 'line', seq, at: Date.UTC(2026, 0, 1) + seq * 1000, text, level: levelOf(text)});
}

export const numbered = (count: number) => Array.from({length: count}, (_, index) => `line ${index + 1}`);

/** All lines of a log, each one row high. */
export function viewportOf(log: LogBuffer, rows = 10, heightOf: Viewport['heightOf'] = () => 1): Viewport {
	return {log, shown: createShownLines(log), rows, heightOf};
}

/** What a terminal sends, as a view gets it: keys, characters and pastes. */
export function tokensOf(input: string): readonly InputToken[] {
	return createTokenizer().push(Buffer.from(input)).flatMap(charactersOf);
}

/** Returns a token as a view gets it: a text by characters. */
export function charactersOf(token: InputToken): readonly InputToken[] {
	return token.type === 'text' ? Array.from(token.text, textToken) : [token];
}
