// Injects every fault of faults.ts in full: `npm run faults`. Prints a table, or JSON with `--json`; ends with 1 if something that must
// hold did not. `--only` chooses faults by a part of their name, `--seed` and `--amount` repeat a run, `--part 10` tries a
// tenth of the amounts. `--write` stores the figures in figures.json, from which `npm run docs` makes the table of .github/FAULTS.md.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {cpus, loadavg, release, tmpdir, type} from 'node:os';
import {dirname, join} from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const folder = dirname(fileURLToPath(import.meta.url));

const {values: flags} = parseArgs({
	options: {
		json: {type: 'boolean', default: false},
		only: {type: 'string'},
		seed: {type: 'string'},
		amount: {type: 'string'},
		part: {type: 'string', default: '1'},
		write: {type: 'boolean', default: false},
	},
});
if (flags.write && (flags.only || flags.amount)) {
	console.error('The table is of all faults in full: leave out --only and --amount.');
	process.exit(2);
}

const place = mkdtempSync(join(tmpdir(), 'service-faults-'));
const out = join(place, 'figures.jsonl');
const child = spawn(
	process.execPath,
	[
		...[join(folder, '../../node_modules/vitest/vitest.mjs'), 'run', '--config', '.vitest.config.ts'],
		...['--project', 'service', 'test/faults/faults.test.ts'],
	],
	{
		cwd: join(folder, '../..'),
		env: {
			...process.env,
			FAULTS_OUT: out,
			...(flags.only && {FAULTS_ONLY: flags.only}),
			...(flags.seed && {FAULTS_SEED: flags.seed}),
			...(flags.amount && {FAULTS_AMOUNT: flags.amount}),
			FAULTS_PART: flags.part,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	},
);
let log = '';
for (const stream of [child.stdout, child.stderr]) {
	stream.setEncoding('utf8').on('data', text => {
		log += text;
	});
}

const [status] = await once(child, 'close');
const rows = existsSync(out)
	? readFileSync(out, 'utf8')
			.trimEnd()
			.split('\n')
			.map(line => JSON.parse(line))
	: [];
rmSync(place, {recursive: true});
if (rows.length === 0) {
	console.error(log);
	process.exit(status || 1);
}

if (flags.json) {
	console.log(JSON.stringify(rows, null, '\t'));
} else {
	printTable();
}

if (flags.write) {
	const [{model} = {}] = cpus();
	const machine = {
		node: process.version,
		system: `${type()} ${/^\d+\.\d+/.exec(release())?.[0] ?? ''}`.trim(),
		processors: cpus().length,
		model,
		load: Math.round(loadavg()[1]),
	};
	const figures = rows.map(({name, rules, tried, failed, seed, missing}) => ({
		name,
		rules,
		tried,
		failed,
		seed,
		missing,
	}));
	const report = {at: new Date().toISOString(), machine, figures};
	writeFileSync(join(folder, 'figures.json'), `${JSON.stringify(report, null, '\t')}\n`);
}

// A row that broke off has no figure.
process.exit(status || (rows.some(({failed}) => failed > 0) ? 1 : 0));

function printTable() {
	for (const {name, rules, tried, failed, seed, missing, firstFailure} of rows) {
		const figure = missing === undefined ? `${tried} tried, ${failed} failed` : `not tried: ${missing}`;
		console.log(`${figure.padEnd(28)} seed ${String(seed).padEnd(11)} ${name} [${rules.join(', ')}]`);
		if (firstFailure !== undefined) {
			console.log(`  ${firstFailure.replaceAll('\n', '\n  ')}`);
		}
	}

	const sum = key => rows.reduce((total, row) => total + row[key], 0);
	console.log(`\n${rows.length} kinds of faults, ${sum('tried')} tried, ${sum('failed')} failed.`);
	if (status !== 0) {
		console.log(log.slice(-4000));
	}
}
