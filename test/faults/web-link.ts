import {exitStatus, reportError} from '../../src/core/error.ts';
import {originOf} from '../../src/core/origin.ts';
import {connectHost} from '../../src/link/host-client.ts';
import {placeWithPass, webConnections} from '../../src/link/web-place.ts';
import {type Ended, environmentOf} from '../e2e/program.ts';

/** Connects to a host of sessions by WebSocket with a pass, as a terminal does. Returns how that ended, as a command says it. */
export async function connectByWeb(
	url: string,
	{pass, env = {}}: {readonly pass: string; readonly env?: Readonly<Record<string, string>>},
): Promise<Ended> {
	try {
		const client = await connectHost({
			...{version: '0.0.0', terminal: 'terminal', person: {user: 'eve', machine: 'there'}},
			// Whoever says nothing at all is left soon.
			greetTimeoutMs: 1000,
			open: webConnections(placeWithPass(originOf(url), pass), environmentOf({env})),
		});
		client.close();
		return {status: 0, stdout: 'connected', stderr: ''};
	} catch (error) {
		const {code, message, hint = ''} = reportError(error);
		return {status: exitStatus[code], stdout: '', stderr: `service: ${message} ${hint}`};
	}
}
