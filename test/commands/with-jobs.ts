import {openCommands} from '../agent/tools/command/open-commands.ts';

/** Runs these commands in the background, until the test ends. Returns them as commands of the app get them. */
export async function withJobs(...commands: readonly string[]) {
	const {run, session} = await openCommands({answer: () => ({allowed: true})});
	for (const command of commands) {
		await run(command, {background: true});
	}

	return () => session.jobs;
}
