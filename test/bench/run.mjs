// Measures the built program from outside: `npm run bench`. Prints medians with the least and the most, and writes them to
// bench.json. With `--against <another dist/service.js>` both builds take turns, and the last column is their ratio. Programs
// of `--targets` that are installed take turns, too. With `--attached`, so does a terminal that is attached to a host. `--readme` stores the figures in figures.json, and writes the table.
import {execFileSync, spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {cpus, release, type} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {startModelHost} from './model-host.mjs';
import {scenes, scenesOfPeers, scenesOfTerminals} from './scenes.mjs';
import {installedTargets} from './targets.mjs';

const folder = dirname(fileURLToPath(import.meta.url));

const {values: flags} = parseArgs({
	options: {
		against: {type: 'string'},
		attached: {type: 'boolean', default: false},
		rounds: {type: 'string', default: '5'},
		/** Names of scenes, with commas between them; all by default. */
		scenes: {type: 'string', default: Object.keys(scenes).join(',')},
		/** A file of programs to measure beside ours. */
		targets: {type: 'string', default: join(folder, 'targets.json')},
		readme: {type: 'boolean', default: false},
		out: {type: 'string', default: 'bench.json'},
	},
});
const names = flags.scenes.split(',');
const unknown = names.find(name => !scenes[name]);
if (unknown !== undefined) {
	console.error(`Unknown scene “${unknown}”. Scenes: ${Object.keys(scenes).join(', ')}`);
	process.exit(2);
}

if (flags.readme && (flags.against || names.length < Object.keys(scenes).length)) {
	console.error('The table of the README is of one build and all scenes: leave out --against and --scenes.');
	process.exit(2);
}

const own = {name: 'service', program: join(folder, '../../dist/service.js')};
const {installed, missing} = installedTargets(flags.targets);
for (const name of missing) {
	console.log(`${name} isn't installed: not measured`);
}

const before = flags.against ? [{name: 'before', program: resolve(flags.against)}] : [];
const attached = flags.attached ? [{...own, name: 'attached', isAttached: true}] : [];
const programs = [...before, own, ...attached, ...installed];
const columns = programs.map(target => ({name: target.name, version: versionOf(target)}));
console.log(columns.map(({name, version}) => `${name} ${version}`).join(', '));

const host = await startModelHost();
const figures = {};
for (const name of names) {
	for (const [label, values] of Object.entries(await measure(name))) {
		figures[label] = values.map(summary);
		const cells = figures[label].map(describe);
		console.log([label.padEnd(48), ...cells, ratioOf(figures[label])].join('  ').trimEnd());
	}
}

const [{model} = {}] = cpus();
const machine = {
	node: process.version,
	system: `${type()} ${/^\d+\.\d+/.exec(release())?.[0] ?? ''}`.trim(),
	processors: cpus().length,
	model,
};
const at = new Date().toISOString();
const report = `${JSON.stringify({at, rounds: Number(flags.rounds), machine, columns, figures}, null, '\t')}\n`;
writeFileSync(flags.out, report);
if (flags.readme) {
	writeFileSync(join(folder, 'figures.json'), report);
	execFileSync(process.execPath, [join(folder, '../../.scripts/docs.mjs')], {stdio: 'inherit'});
}

process.exit(0);

/** Runs a scene with each program in turn, so that a busy machine is equally busy for all. Returns all values by label. */
async function measure(name) {
	const measured = {};
	const failed = new Set();
	for (let round = 0; round < Number(flags.rounds); round++) {
		for (const [index, target] of programs.entries()) {
			if (failed.has(target) || !takesPart(target, name)) {
				continue;
			}

			const values = await valuesOf(name, target);
			if (!values) {
				failed.add(target);
			}

			for (const [label, value] of Object.entries(values ?? {})) {
				measured[label] ??= programs.map(() => []);
				measured[label][index].push(value);
			}
		}
	}

	return measured;
}

function takesPart({program, isAttached}, name) {
	return (program || scenesOfPeers.includes(name)) && (!isAttached || scenesOfTerminals.includes(name));
}

/** Returns the figures of one run, or nothing if another program doesn't do what its target says. */
async function valuesOf(name, target) {
	try {
		return await scenes[name](target, host);
	} catch (error) {
		if (target.program) {
			throw error;
		}

		console.log(`${target.name}: ${name} not measured: ${error.message.split('\n', 1)[0]}`);
		return undefined;
	}
}

function versionOf({program, command, version}) {
	const [file, args] = program ? [process.execPath, [program, '--version']] : [command, version];
	// Some programs print it to standard error.
	const {stdout = '', stderr = ''} = spawnSync(file, args, {
		encoding: 'utf8',
		timeout: 15_000,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	return /\d+(?:\.\d+)+\S*/.exec(`${stdout}\n${stderr}`)?.[0] ?? '';
}

function summary(values) {
	if (values.length === 0) {
		return null;
	}

	const sorted = values.toSorted((a, b) => a - b);
	return {median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1)};
}

function describe(figure) {
	if (!figure) {
		return ''.padEnd(26);
	}

	const {median, least, most} = figure;
	return `${format(median)} (${format(least)} to ${format(most)})`.padEnd(26);
}

function format(value) {
	return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/** Returns the second build as a multiple of the first one, or the attached terminal as one of the local. */
function ratioOf([before, after]) {
	return (flags.against || flags.attached) && after ? `x ${(after.median / before.median).toFixed(2)}` : '';
}
