// Measures the built program from outside: `npm run bench`. Prints medians with the least and the most, and writes them to
// bench.json. With `--against <another dist/service.js>` both builds take turns, and the last column is their ratio.
import {writeFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {startModelHost} from './model-host.mjs';
import {scenes} from './scenes.mjs';

const {values: flags} = parseArgs({
	options: {
		against: {type: 'string'},
		rounds: {type: 'string', default: '5'},
		/** Names of scenes, with commas between them; all by default. */
		scenes: {type: 'string', default: Object.keys(scenes).join(',')},
		out: {type: 'string', default: 'bench.json'},
	},
});
const own = join(dirname(fileURLToPath(import.meta.url)), '../../dist/service.js');
const programs = flags.against ? [resolve(flags.against), own] : [own];
const names = flags.scenes.split(',');
const unknown = names.find(name => !scenes[name]);
if (unknown !== undefined) {
	console.error(`Unknown scene “${unknown}”. Scenes: ${Object.keys(scenes).join(', ')}`);
	process.exit(2);
}

const host = await startModelHost();
const figures = {};
for (const name of names) {
	const measured = await measure(scenes[name]);
	for (const [label, values] of Object.entries(measured)) {
		const columns = values.map(summary);
		figures[label] = columns;
		console.log([label.padEnd(48), ...columns.map(describe), ratioOf(columns)].join('  ').trimEnd());
	}
}

const machine = {node: process.version, processors: cpus().length, model: cpus()[0]?.model};
writeFileSync(flags.out, `${JSON.stringify({at: new Date().toISOString(), machine, programs, figures}, null, '\t')}\n`);
process.exit(0);

/** Runs a scene with each program in turn, so that a busy machine is equally busy for all. Returns all values by label. */
async function measure(scene) {
	const measured = {};
	for (let round = 0; round < Number(flags.rounds); round++) {
		for (const [index, program] of programs.entries()) {
			for (const [label, value] of Object.entries(await scene({program}, host))) {
				measured[label] ??= programs.map(() => []);
				measured[label][index].push(value);
			}
		}
	}

	return measured;
}

function summary(values) {
	const sorted = values.toSorted((a, b) => a - b);
	return {median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1)};
}

function describe({median, least, most}) {
	return `${format(median)} (${format(least)} to ${format(most)})`.padEnd(26);
}

function format(value) {
	return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function ratioOf([before, after]) {
	return after ? `x ${(after.median / before.median).toFixed(2)}` : '';
}
