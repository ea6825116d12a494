import process from 'node:process';
import type {CommandContext} from '../command/context.ts';
import {resolveProfile} from '../config/resolve-profile.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';
import type {Servers} from './servers.ts';

/** Returns what checks the program for one command. Its modules are loaded when it is called. */
export function createDoctor(
	{store, env, version, keychain, homeFault}: ProgramOptions,
	{home, config, settings, folder, secrets}: LocalState,
	{createTransport}: Servers,
	{flags, signal}: Pick<CommandContext, 'flags' | 'signal'>,
): CommandContext['diagnose'] {
	return async () => {
		const {diagnose} = await import('../doctor/diagnose.ts');
		const {stdout} = process;
		// The flag and the setting count as the variable does.
		const shown = settings.value('accessible') ? {...env, ACCESSIBLE: '1'} : env;
		const connected = store.getState().connection.profile;
		return diagnose({
			...{version, env: shown, home, homeFault, config, settings, keychain, signal},
			terminal: {isTTY: stdout.isTTY === true, columns: stdout.columns, rows: stdout.rows},
			workspace: folder.path(),
			places: {stateFolder: home.path, homeFolder: folder.home},
			server: () => resolveProfile({data: config.read(), env, flags, connected})?.server,
			openTransport: () => createTransport(undefined, flags.insecureHttp),
			hide: secrets.hide,
		});
	};
}
