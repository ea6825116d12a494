import {isLoopback} from '../../core/origin.ts';
import {reject} from '../kit/http-error.ts';
import type {DataAccess} from '../kit/services.ts';

/** The server that manages the sandboxes of a machine. */
export type MachineServer = {
	readonly id: string;
	/** Where it is reached, without a trailing slash. */
	readonly address: string;
};

const retryHeaders = {'retry-after': '5'};

/** Ends a request with 503: the server of another machine can't be reached now. */
export function rejectUnreachable(reason: string): never {
	return reject(503, `The sandbox is on another machine, and ${reason}. Try again in a few seconds.`, {
		type: 'sandbox_provider_error',
		headers: retryHeaders,
	});
}

/**
 * Returns the server of a machine. Rejects (503) if none manages it now, or if other hosts can't reach it. `host` is the name
 * of this one.
 */
export async function findMachineServer(
	{database, now}: DataAccess,
	machine: string,
	host: string,
): Promise<MachineServer> {
	const row = await database
		.selectFrom('machines')
		.select(['held_by', 'held_until', 'address', 'host'])
		.where('id', '=', machine)
		.executeTakeFirst();
	if (!row?.held_by || row.held_until === null || row.held_until < now().toISOString()) {
		rejectUnreachable('no server of that machine runs');
	}

	if (row.address === null) {
		rejectUnreachable('its server is too old to be asked');
	}

	if (row.host !== host && isLoopback(new URL(row.address))) {
		rejectUnreachable(`its server can be reached on ${row.host} alone; start it with --address`);
	}

	return {id: row.held_by, address: row.address};
}
