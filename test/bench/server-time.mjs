import {readdirSync, readFileSync} from 'node:fs';
import pg from 'pg';

/** Returns the processor time of a process with its threads, in milliseconds; with that of its children if `isWhole`. */
export function cpuOf(pid, isWhole = false) {
	try {
		const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
			.replace(/^.*\) /s, '')
			.split(' ')
			.map(Number);
		return fields.slice(11, isWhole ? 15 : 13).reduce((sum, ticks) => sum + ticks * 10, 0);
	} catch {
		return 0;
	}
}

const parentOf = pid => {
	try {
		return Number(
			readFileSync(`/proc/${pid}/stat`, 'utf8')
				.replace(/^.*\) /s, '')
				.split(' ')[1],
		);
	} catch {
		return undefined;
	}
};

/** Returns a function that returns the processor time of the PostgreSQL at a URL so far; of none, that is 0. */
export async function postgresCpu(url) {
	if (!url) {
		return () => 0;
	}

	const client = new pg.Client({connectionString: url});
	await client.connect();
	const {rows} = await client.query('select pg_backend_pid() as pid');
	const postmaster = parentOf(rows[0].pid);
	await client.end();
	return () =>
		readdirSync('/proc')
			.filter(name => /^\d+$/.test(name) && parentOf(name) === postmaster)
			.reduce((sum, pid) => sum + cpuOf(pid), cpuOf(postmaster, true));
}
