/** Something that the demonstration has, for completion: what cannot be listed could not be found otherwise. */
export type DemoThing = {
	readonly kind: 'session' | 'run' | 'evaluation' | 'runtime' | 'task' | 'project';
	readonly id: string;
};
