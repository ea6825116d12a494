import type {Duplex} from 'node:stream';
import {type Environment, setVariables} from '../core/environment.ts';
import {timingSafeEquals} from '../core/secrets/timing-safe-equals.ts';
import {noteHostUrl} from '../link/local-host.ts';
import type {Home} from '../storage/home.ts';
import type {Sharing} from './admission.ts';
import type {Host} from './host.ts';
import {listenWeb, type WebListener} from './listen-web.ts';
import {guestAdmission, sharingOf} from './share-access.ts';
import type {Shares} from './shares.ts';

type Options = {
	readonly address: string;
	readonly publicUrl: string | undefined;
	readonly host: Host;
	readonly shares: Shares;
	readonly home: Home;
	readonly token: string;
	/** What sessions begin with: the environment of the host. */
	readonly env: Environment;
	readonly folder: string | undefined;
};

export type WebWay = WebListener & {readonly sharing: Sharing};

/**
 * Opens the way to a host over WebSocket: for its owner, who has the token, and for whoever has a link. Throws what `listenWeb`
 * throws.
 */
export async function openWebWay(options: Options): Promise<WebWay> {
	const {address, publicUrl, host, shares, home, token, env, folder} = options;
	let url = '';
	const sharing = sharingOf(shares, {owner: undefined, url: () => url});
	const environment = setVariables(env);
	const serve = (stream: Duplex, way: Parameters<Host['serve']>[1]) => host.serve({input: stream, output: stream}, way);
	const listener = await listenWeb({
		address,
		publicUrl,
		join(code) {
			if (timingSafeEquals(code, token)) {
				return {pass: token};
			}

			const joined = shares.join(code);
			return joined && {pass: joined.pass, session: joined.share.session, role: joined.share.role};
		},
		admit(pass) {
			if (timingSafeEquals(pass, token)) {
				return stream => void serve(stream, {rank: 'owner', environment, folder, sharing});
			}

			const guest = shares.guest(pass);
			return (
				guest &&
				(stream => {
					stream.once('close', guest.keep(serve(stream, guestAdmission(guest.share))));
				})
			);
		},
	});
	({url} = listener);
	await noteHostUrl(home, url);
	return {
		...listener,
		sharing,
		async close() {
			await noteHostUrl(home, undefined);
			await listener.close();
		},
	};
}
