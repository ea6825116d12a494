import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {describePlace, firstOrganization, place} from '../../src/command/serve/serve-place.ts';
import {fieldsOf, placeFlags, recordOf} from '../../src/command/serve/server-lines.ts';
import {AppError} from '../../src/core/error.ts';
import {shellLine} from '../../src/core/program-name.ts';

/** The owner of the first organization, by default. */
const firstEmail = 'admin@localhost';

/** Prints the defaults that it used, and how to change them. */
export default command({
	name: 'init',
	summary: 'Create a user, an organization and an API key',
	args: z.object({...place, email: z.optional(z.string())}),
	describe: {...describePlace, email: `of the owner, who logs in with it; ${firstEmail} by default`},
	examples: ['serve init --json', 'serve init --org acme --workspace main --project web --email ada@acme.example'],
	where: 'shell',

	async run(
		{email: given, data, database},
		{
			program: {
				local: {env},
			},
			flags,
		},
	) {
		const {initializeData, ownerOf} = await import('../../src/server/run/serve.ts');
		const beginning = {
			organization: flags.org ?? firstOrganization,
			workspace: flags.workspace ?? 'main',
			project: flags.project ?? 'default',
			email: given ?? firstEmail,
		};
		const at = placeFlags({data, database});
		const made = await initializeData({env, data, database}, beginning).catch(async (error: unknown) => {
			throw error instanceof AppError && error.code === 'conflict'
				? existsAlready(beginning.organization, await ownerOf({env, data, database}, beginning.organization), at)
				: error;
		});
		const {organization, workspace, project, email} = beginning;
		const chosen = [
			...(given === undefined ? [`--email ${email}`] : []),
			...(flags.org === undefined ? [`--org ${organization}`] : []),
			...(flags.workspace === undefined ? [`--workspace ${workspace}`] : []),
			...(flags.project === undefined ? [`--project ${project}`] : []),
		].join(' ');
		const record = recordOf(made);
		return {
			kind: 'group',
			parts: [
				{
					kind: 'record',
					title: made.isNewUser
						? `Created user ${email} in organization ${organization}.`
						: `Created organization ${organization} for ${email}, an existing user.`,
					fields: fieldsOf(made),
					data: record,
				},
				{
					kind: 'text',
					text: [
						"Copy this API key now; it won't be shown again.",
						`Start the server:    ${shellLine(`serve${at}`)}`,
						`Choose a password:   ${shellLine(`serve password ${email}${at}`)}`,
						...(chosen ? [`Used by default:     ${chosen}`] : []),
						...(chosen ? [`To choose:           ${shellLine(`serve init --org <name> --email <address>${at}`)}`] : []),
					].join('\n'),
				},
			],
			data: record,
		};
	},
});

function existsAlready(organization: string, owner: string | undefined, at: string): AppError {
	const whose = owner === undefined ? '' : ` (owner ${owner})`;
	const key = owner === undefined ? '' : `Create another API key: \`$ serve key ${owner}${at}\`. `;
	return new AppError('conflict', `Organization ${organization}${whose} already exists. Nothing was changed.`, {
		hint: `${key}Create another organization: \`$ serve init --org <name>${at}\``,
	});
}
