import type {Example} from './example.ts';

const generate = `// Writes the records that the import reads; every so many is broken.
import {readFileSync, writeFileSync} from 'node:fs';

const {inputs} = JSON.parse(readFileSync('.task.json', 'utf8'));
const cities = ['Oslo', 'Zürich', '東京', 'São Paulo', 'Kraków'];
const lines = Array.from({length: inputs.records}, (_, index) => {
	const number = index + 1;
	if (number % 41 === 0) return '{"id": ' + number + ', "city": "cut off';
	return JSON.stringify({id: number, city: cities[index % cities.length], amount: number % 29 === 0 ? 'n/a' : number * 3});
});
writeFileSync('records.ndjson', lines.join('\\n') + '\\n');
console.log('wrote ' + lines.length + ' records');
`;

const importer = `// Imports records one by one, retries what is locked and goes on past what is broken.
import {readFileSync, writeFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';

const {inputs} = JSON.parse(readFileSync('.task.json', 'utf8'));
const log = (level, logger, message) =>
	console.log(new Date().toISOString().replace('T', ' ').replace('.', ',').slice(0, 23) + ' - ' + logger + ' - ' + level + ' - ' + message);
const lines = readFileSync('records.ndjson', 'utf8').split('\\n').filter(Boolean);
const done = {imported: 0, broken: 0, retried: 0};

async function store(record) {
	if (!Number.isFinite(record.amount)) throw new TypeError('amount of record ' + record.id + ' is no number: ' + record.amount);
	for (let attempt = 1; record.id % 17 === 0 && attempt < 3; attempt += 1) {
		done.retried += 1;
		log('WARNING', 'import.store', 'record ' + record.id + ' is locked, attempt ' + attempt + ' of 3');
		await sleep(20);
	}
	done.imported += 1;
}

log('INFO', 'import', 'starting with ' + lines.length + ' records');
for (const [index, line] of lines.entries()) {
	try {
		const record = JSON.parse(line);
		log('DEBUG', 'import.read', 'record ' + record.id + ' from ' + record.city);
		await store(record);
	} catch (error) {
		done.broken += 1;
		log('ERROR', 'import', 'line ' + (index + 1) + ' is left out');
		console.error(error.stack);
	}
	if ((index + 1) % 100 === 0) log('INFO', 'import', index + 1 + ' of ' + lines.length + ' lines');
	if (inputs.records_per_second > 0) await sleep(1000 / inputs.records_per_second);
}
writeFileSync('report.json', JSON.stringify(done));
log(done.broken > 0 ? 'WARNING' : 'INFO', 'import', 'done: ' + JSON.stringify(done));
`;

/** A batch job without a service: build step, many lines at several levels, stack traces, and an end. */
export const nightlyImport: Example = {
	task: {
		name: 'nightly-import',
		version: '1.0.0',
		public: true,
		description: 'A batch job that hits broken records and logs them at length.',
		inputs: {
			records: {type: 'integer', default: 600, minimum: 1, maximum: 100_000, description: 'How many records there are'},
			records_per_second: {
				type: 'number',
				default: 20,
				minimum: 0,
				description: 'How fast they are read; 0 for at once',
			},
		},
		instruction: [
			'A job imports {{inputs.records}} records. Read the log of this environment to its end and say how many records',
			'were left out, for which two reasons, and which ones had to be tried again.',
		].join(' '),
		build: [['node', 'generate.mjs']],
		command: ['node', 'import.mjs'],
		timeout_sec: 1800,
	},
	files: {'generate.mjs': generate, 'import.mjs': importer},
};
