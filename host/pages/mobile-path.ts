/** Whether a path below `/m/<slug>` is a mobile screen's. */
export const isMobile = (path: string): boolean => path === '/mobile' || path.startsWith('/mobile/')
