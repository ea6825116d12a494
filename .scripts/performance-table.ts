import {markdownTable} from '../src/command/topics/tables.ts';

type Figure = {readonly median: number; readonly least: number; readonly most: number};

/** What `npm run bench -- --readme` stores. A figure is null if that program took no part in the scene. */
export type Report = {
	readonly at: string;
	readonly rounds: number;
	readonly machine: {
		readonly node: string;
		readonly system: string;
		readonly processors: number;
		readonly model?: string;
	};
	readonly columns: ReadonlyArray<{readonly name: string; readonly version: string}>;
	readonly figures: Readonly<Record<string, ReadonlyArray<Figure | null>>>;
};

/** The figures that a user notices; bench.json has the others. */
const shown = [
	...['--version, times `node -e 0`', 'first frame, ms', 'a typed character after the start, ms', 'one-shot -p, ms'],
	...['Enter to the request, ms', 'key echo, ms (p50)', 'key echo while 200 tokens/s stream, ms (p50)', 'idle, MB'],
	...['2,000 tokens at 200/s, s CPU', '20,000 tokens at once, s CPU', 'after 200 turns of 30 lines, MB'],
	'resume of 20,000 messages, ms',
];

/** Figures of the server, whose databases not every machine has. */
const shownIfMeasured = ['SQLite, reads/s', 'PostgreSQL, reads/s'];

/** Returns the table of the README, with the machine and the versions. Throws if a shown figure wasn't measured. */
export function performanceTable({at, rounds, machine, columns, figures}: Report): string {
	const {node, system, processors, model} = machine;
	const about = [`${processors} x ${model ?? 'unknown processor'}`, system, `Node ${node.replace(/^v/, '')}`];
	const rows = [...shown, ...shownIfMeasured.filter(label => figures[label])].map(label => {
		const found = figures[label];
		if (!found?.[0]) {
			throw new Error(`The stored figures have no “${label}”. Measure all scenes: npm run bench -- --readme`);
		}

		return [label, ...found.map(figure => (figure ? describe(figure) : ''))];
	});
	const head = ['', ...columns.map(({name, version}) => `${name} ${version}`.trim())];
	return `Medians (least to most) of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${at.slice(0, 10)}: ${about.join(', ')}.\n\n${markdownTable(head, rows)}`;
}

const describe = ({median, least, most}: Figure) => `${format(median)} (${format(least)} to ${format(most)})`;

/** Returns a number with about three digits. */
const format = (value: number) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
