import {hostname} from 'node:os';
import {dirname} from 'node:path';
import type {Duplex} from 'node:stream';
import type {Surroundings} from '../command/program.ts';
import type {HostedAccount, Hosting, HostingOptions} from '../contract/hosting.ts';
import {type Environment, setVariables} from '../core/environment.ts';
import {makePrivateFolder} from '../storage/private-folder.ts';
import {realFolders} from './folders.ts';
import {createHost, type Host, type HostConnection} from './host.ts';
import {guestAdmission, sharingOf} from './share-access.ts';
import {createShares} from './shares.ts';

type Built = Pick<Surroundings, 'compose' | 'env' | 'version'>;

type UserHost = {readonly host: Host; readonly connections: Set<HostConnection>};

/**
 * Opens what hosts sessions for the users of a server: a host for each, with a state folder of its own, so that none finds the
 * sessions, keys, rules and settings of another. Throws AppError("usage") for a folder that doesn't exist.
 */
export async function openUserHosts({compose, env, version}: Built, options: HostingOptions): Promise<Hosting> {
	const folders = realFolders(options.folders);
	const environment = environmentOf(env);
	const hosts = new Map<string, UserHost>();
	const shares = createShares();

	const hostOf = ({id, name, home}: HostedAccount): UserHost => {
		const known = hosts.get(id);
		if (known) {
			return known;
		}

		makePrivateFolder(dirname(home), {hint: 'Replace it with a folder of your own.'});
		const host = createHost({
			compose,
			env: {...environment, SERVICE_HOME: home},
			folders,
			version,
			person: {user: name, machine: hostname()},
			onDrained: () => hosts.delete(id),
			onSessionEnded: shares.endSession,
		});
		const made = {host, connections: new Set<HostConnection>()};
		hosts.set(id, made);
		return made;
	};
	const serve = ({host, connections}: UserHost, stream: Duplex, admission: Parameters<Host['serve']>[1]) => {
		const connection = host.serve({input: stream, output: stream}, admission);
		connections.add(connection);
		stream.once('close', () => connections.delete(connection));
		return connection;
	};
	const end = async (id: string, why: string) => {
		const known = hosts.get(id);
		hosts.delete(id);
		shares.endOf(id);
		await known?.host.close(why);
		for (const connection of known?.connections ?? []) {
			connection.close();
		}
	};

	return {
		connect: (stream, user) =>
			serve(hostOf(user), stream, {
				rank: 'owner',
				who: user.name,
				environment,
				owner: user.id,
				sharing: sharingOf(shares, {
					owner: user.id,
					url: options.url,
					onAct: (act, share) => options.onAct({act, ...actOf(share)}),
				}),
			}),
		join(code) {
			const joined = shares.join(code);
			if (joined) {
				options.onAct({act: 'join', ...actOf(joined.share)});
			}

			return joined && {pass: joined.pass, session: joined.share.session, role: joined.share.role};
		},
		guest(pass) {
			const guest = shares.guest(pass);
			const known = hosts.get(guest?.share.owner ?? '');
			return (
				guest &&
				known && {
					user: guest.share.owner ?? '',
					connect(stream) {
						const connection = serve(known, stream, guestAdmission(guest.share));
						stream.once('close', guest.keep(connection));
						return connection;
					},
				}
			);
		},
		end,
		async close(why) {
			await Promise.all([...hosts.keys()].map(id => end(id, why)));
			shares.close();
		},
	};
}

type ActOf = {
	readonly owner: string | undefined;
	readonly session: string;
	readonly role: 'driver' | 'observer';
	readonly endsAt: number;
};

function actOf({owner = '', session, role, endsAt}: ActOf) {
	return {user: owner, session, role, endsAt: new Date(endsAt).toISOString()};
}

/** Variables of the server itself: its database, its keys and its flags are no business of a session. */
const serversOwn = /^(?:SERVICE_|PG|DATABASE_URL$|AWS_)/;

/** Returns the environment of sessions: that of the server, whose operator offers its models, without what is its own. */
function environmentOf(env: Environment): Readonly<Record<string, string>> {
	return setVariables(env, name => !serversOwn.test(name));
}
