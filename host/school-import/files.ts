/** Files of OneRoster 1.1 (IMS Global, CSV binding) that are read, and the columns they must have. */
export const columnsOf = {
  'orgs.csv': ['sourcedId', 'name', 'type'],
  'academicSessions.csv': ['sourcedId', 'title', 'type', 'startDate', 'endDate'],
  'courses.csv': ['sourcedId', 'title'],
  'classes.csv': ['sourcedId', 'title', 'classType'],
  'users.csv': ['sourcedId', 'role', 'givenName', 'familyName'],
  'enrollments.csv': ['sourcedId', 'classSourcedId', 'userSourcedId', 'role'],
  'demographics.csv': ['sourcedId'],
} as const

export type FileName = keyof typeof columnsOf

/** An export holds others too, of results above all, which may be larger than all that is read. */
export const isRead = (name: string): boolean => Object.hasOwn(columnsOf, name) || name === manifestFile

export const manifestFile = 'manifest.csv'
