/** Something in the demo, for completion of what no operation lists. */
export type DemoReference = {
	readonly kind: 'session' | 'run' | 'evaluation' | 'runtime' | 'task' | 'project';
	readonly id: string;
};
