import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {Recorded} from '../../src/core/session/event.ts';
import {compose} from '../../src/program/program.ts';
import {createAppStore} from '../../src/store/store.ts';
import {startWireHost, type Turn, wires} from '../e2e/wire-host.ts';
import {serve, token} from '../server/serve.ts';
import {temporaryFolder} from '../storage/temporary.ts';

type Options = {
	readonly wire?: keyof typeof wires;
	readonly turns?: readonly Turn[];
	/** Replaces variables of the environment. */
	readonly env?: Readonly<Record<string, string>>;
};

/** Returns the real program with a scripted model, connected to a real server on loopback, both of this test. */
export async function traced({wire = 'anthropic', turns = [{text: 'Done.'}], env = {}}: Options = {}) {
	const server = await serve();
	const host = await startWireHost(wire, turns);
	const folder = join(temporaryFolder(), 'work');
	mkdirSync(folder);
	const store = createAppStore();
	const program = compose({
		store,
		env: {
			...{SERVICE_HOME: join(temporaryFolder(), 'home'), SERVICE_KEYCHAIN: 'off', PATH: process.env['PATH'] ?? ''},
			...{SERVICE_SERVER: server.url, SERVICE_API_KEY: token, SERVICE_ORG: 'acme', SERVICE_TRACES: 'on'},
			...host.env,
			...env,
		},
		folder,
		model: wires[wire].model,
		workerUrl: new URL('../../dist/server-worker.js', import.meta.url),
		version: '0.0.0',
	});
	onTestFinished(() => program.close());
	const records: Recorded[] = [];
	program.session.onRecord(record => records.push(record));
	return {program, store, server, host, folder, records};
}

/** Returns a session as the server has it; undefined if it does not. */
export async function sessionOnServer({url}: {readonly url: string}, id: string) {
	const path = `/api/v1/org/acme/ws/main/sessions/${id}/unarchive`;
	const response = await fetch(`${url}${path}`, {method: 'POST', headers: {authorization: `Bearer ${token}`}});
	return response.ok ? response.json() : undefined;
}

/** Returns all spans that the server has stored, in the order of their start. */
export async function storedSpans({database}: Awaited<ReturnType<typeof serve>>) {
	const rows = await database.selectFrom('spans').selectAll().orderBy('started_at_us').execute();
	return rows.map(({attributes, ...row}) => ({...row, attributes: JSON.parse(attributes)}));
}
