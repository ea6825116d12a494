import fc from 'fast-check';
import {expect, test} from 'vitest';
import {setComposerText} from '../../../src/editor/editor.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {continues, softWrap, wrapLine} from '../../../src/terminal/text/wrap.ts';
import {createScreen} from '../../../src/ui/screen/screen.ts';
import {end, say, start} from '../canvas.ts';
import {isInstalled, openTmux} from '../contract/multiplexed-terminal.ts';
import {conversation, nextTurn} from '../drawing.ts';
import {createEmulator} from '../emulator.ts';

type Emulator = ReturnType<typeof createEmulator>;

/** The lines of the terminal as it copies them: rows that it broke itself are joined. */
function logicalLines({terminal}: Pick<Emulator, 'terminal'>): readonly string[] {
	const {active} = terminal.buffer;
	const lines: string[] = [];
	for (let row = 0; row < active.length; row++) {
		const line = active.getLine(row);
		const text = line?.translateToString(false) ?? '';
		if (line?.isWrapped) {
			lines.push((lines.pop() ?? '') + text);
		} else {
			lines.push(text);
		}
	}

	return lines.map(line => line.trimEnd());
}

const command = `curl --header 'content-type: application/json' ${Array.from({length: 12}, (_, index) => `--data name${index}=value`).join(' ')}`;
const japanese = '日本語の長い一行'.repeat(9);

test.each([40, 41, 80])(
	'a long line of a streamed code block is one line of the terminal in %i columns',
	async columns => {
		const {feed, settle, terminal, text} = conversation(columns, 24);
		await feed(start);
		const source = `Run it:\n\n\`\`\`sh\n${command}\n# ${japanese}\n\`\`\`\n\nThen wait.`;
		for (const piece of source.match(/[\s\S]{1,7}/g) ?? []) {
			await feed(say(piece));
		}

		await feed(end);
		await settle(1);
		const lines = logicalLines({terminal});
		expect(lines).toContain(command);
		// A cell that a wide character has no room in is a break.
		expect(lines.join('')).toContain(columns % 2 === 0 ? `# ${japanese}` : '日本語');
		expect(text().at(-1)).toBe('Then wait.');
	},
);

test('a long line of code in a list keeps its hard breaks, because its rows are indented', async () => {
	const {feed, settle, terminal} = conversation(40, 24);
	await feed(start, say(`- Run it:\n\n  \`\`\`sh\n  ${command}\n  \`\`\`\n`), end);
	await settle(1);
	expect(logicalLines({terminal}).every(line => line.length <= 40)).toBe(true);
});

test('a line of code that the terminal broke is drawn once after each change of the width', async () => {
	const {feed, resize, settle, terminal, store, lines} = conversation(80, 24);
	store.getState().setComposer(setComposerText(store.getState().composer, 'hi'));
	await feed(start, say(`\`\`\`sh\n${command}\n\`\`\`\n\nThe end.\n\n`));
	for (const columns of [60, 100, 41, 130, 90, 300, 70]) {
		await settle(1);
		resize(columns, 24);
		await settle(280);
		const logical = logicalLines({terminal});
		expect(
			logical.filter(line => line === command),
			`at ${columns} columns`,
		).toHaveLength(1);
		expect(logical.filter(line => line.includes('The end.'))).toHaveLength(1);
		expect(lines().filter(line => line.startsWith('❯ hi'))).toHaveLength(1);
		const below = lines().slice(lines().findIndex(line => line.includes('The end.')));
		expect(below.filter(line => /^─+$/.test(line) && line.length === columns)).toHaveLength(1);
	}

	await feed(end);
	await settle(1);
	expect(logicalLines({terminal}).filter(line => line === command)).toHaveLength(1);
});

const texts = fc.string({unit: fc.constantFrom('a', 'b', ' ', '日', '本', 'é', '─', '-'), maxLength: 60});
const colors = fc.constantFrom('', '\u001B[31m', '\u001B[41m', '\u001B[7m');
const steps = fc.array(
	fc.record({
		printed: fc.array(fc.tuple(texts, colors), {maxLength: 4}),
		frame: fc.array(fc.string({unit: fc.constantFrom('x', 'y', ' '), maxLength: 12}), {minLength: 1, maxLength: 6}),
	}),
	{minLength: 1, maxLength: 8},
);

test('rows that the terminal breaks look like rows that were broken for it, whatever the frames below are', async () => {
	await fc.assert(
		fc.asyncProperty(steps, fc.integer({min: 4, max: 20}), async (given, columns) => {
			const [soft, hard] = await Promise.all([draw(given, columns, softWrap), draw(given, columns, hardWrap)]);
			expect(soft.cells).toEqual(hard.cells);
			const expected = given
				.flatMap(({printed}) => printed.map(([text]) => text))
				.flatMap(text => softWrap(text, columns))
				.join('\n')
				.replaceAll(`${continues}\n`, '')
				.split('\n')
				.map(line => plainText(line).trimEnd());
			const isPrinted = given.some(({printed}) => printed.length > 0);
			expect(isPrinted ? soft.lines.slice(0, expected.length) : expected).toEqual(expected);
		}),
		{numRuns: 60},
	);
});

type Steps = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

function hardWrap(text: string, columns: number) {
	return wrapLine(text, columns, {hard: true});
}

/** Prints lines above frames, and returns every cell with its colours, and the lines as the terminal joins them. */
async function draw(given: Steps, columns: number, wrap: (text: string, columns: number) => readonly string[]) {
	const emulator = createEmulator(columns, 10);
	emulator.stdout.write('\u001B[?7l');
	const screen = createScreen(emulator.stdout);
	for (const {printed, frame} of given) {
		const rows = printed.flatMap(([text, color]) => wrap(color && text ? `${color}${text}\u001B[0m` : text, columns));
		screen.print(rows.map(row => `${row}\n`).join(''));
		screen.stdout.write(frame.map(row => row.slice(0, columns)).join('\n'));
		await nextTurn();
	}

	await new Promise<void>(resolve => emulator.terminal.write('', resolve));
	const {active} = emulator.terminal.buffer;
	const cells = Array.from({length: active.length}, (_, row) => {
		const line = active.getLine(row);
		return Array.from({length: columns}, (_, column) => {
			const cell = line?.getCell(column);
			return `${cell?.getChars() || ' '}${cell?.getBgColor()}${cell?.getFgColor()}${cell?.isInverse()}`;
		}).join('');
	});
	const lines = logicalLines(emulator);
	emulator.dispose();
	return {cells, lines};
}

test('without rows of code, nothing lets the terminal break a row', async () => {
	const {feed, settle, written} = conversation(40, 24);
	await feed(start, say('A long line of an answer that has to be broken between its words.'), end);
	await settle(1);
	expect(written.join('')).not.toContain('\u001B[?7h');
});

test.runIf(isInstalled('tmux'))(
	'tmux copies a line of code that it broke as one line, also in a resized window',
	async () => {
		const tmux = await openTmux(40, 12);
		tmux.stdout.write('\u001B[?7l');
		const screen = createScreen(tmux.stdout);
		screen.stdout.write('old\nframe\nof\nfive\nrows');
		await nextTurn();
		const rows = [...softWrap(command, 40), ...softWrap(`\u001B[42m${japanese}\u001B[0m`, 40), 'Below.'];
		screen.print(rows.map(row => `${row}\n`).join(''));
		screen.stdout.write('a new\nframe');
		await nextTurn();
		await tmux.parsed();
		const joined = () => tmux.ask('capture-pane', '-p', '-J', '-S', '-').trimEnd().split('\n');
		expect(
			joined()
				.slice(0, 5)
				.map(line => line.trimEnd()),
		).toEqual([command, japanese, 'Below.', 'a new', 'frame']);
		await tmux.resize(55, 12);
		screen.resize();
		await nextTurn();
		await tmux.parsed();
		expect(
			joined()
				.slice(0, 5)
				.map(line => line.trimEnd()),
		).toEqual([command, japanese, 'Below.', 'a new', 'frame']);
	},
);
