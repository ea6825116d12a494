import {AppError} from '../../core/error.ts';
import type {AskHost} from '../../link/host-client.ts';
import type {CommandContext} from '../context.ts';

/** A host that a session is handed over to, or brought back from. */
export type HandoffPlace = {
	readonly ask: AskHost;
	/** Whose host it is, and where. */
	readonly to: string;
	/** What it is reached at, without what proves a login; '' for the host of this machine. */
	readonly at: string;
	/** The same with that. */
	readonly reached: string | undefined;
};

/** Connects to a host, and does something with it. Throws AppError("upgrade") for one of another version. */
export async function withHandoffPlace<Value>(
	given: string | undefined,
	{program, ui, flags, signal}: CommandContext,
	use: (place: HandoffPlace) => Promise<Value>,
): Promise<Value> {
	const [{findHost, isOther}, {otherVersion}, {isWebPlace, readWebPlace}] = await Promise.all([
		import('../../link/find-host.ts'),
		import('../../link/host-client.ts'),
		import('../../link/web-place.ts'),
	]);
	const {env, version} = program.local;
	const isWeb = given !== undefined && isWebPlace(given);
	const proven = isWeb
		? await (await import('../../platform/host-pass.ts')).provePlace(given, {program, ui, flags, signal})
		: {at: given, session: undefined};
	if (proven.session !== undefined) {
		throw new AppError('auth', 'A link opens one session of its owner.', {hint: 'Attach to it: `attach <link>`'});
	}

	const client = await findHost({at: proven.at, env, version, isDrawn: ui.live !== undefined});
	try {
		const {person} = client.welcome();
		if (isOther(client, version)) {
			throw otherVersion(client.welcome(), version, 'Install the same version of both.');
		}

		return await use({
			ask: client.request,
			to: `${person.user}@${person.machine}`,
			at: isWeb ? readWebPlace(given).server : (given ?? ''),
			reached: proven.at,
		});
	} finally {
		client.close();
	}
}
