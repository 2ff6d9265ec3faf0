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
