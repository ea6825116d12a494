import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'revoke',
	summary: 'Stop trusting the agent files of this folder',
	args: z.object({}),

	async run(
		_,
		{
			program: {
				project: {files: project},
			},
		},
	) {
		await project.revoke();
		const {root} = await project.state();
		return {
			kind: 'text',
			text: `No file in ${root} is trusted any more. The next session asks again.`,
			data: {root, revoked: true},
		};
	},
});
