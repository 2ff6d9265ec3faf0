/** A small school in OneRoster 1.1 CSV, as files by name. Tests change one line of one file. */
export function oneRosterFiles(): Record<string, string> {
  return {
    'orgs.csv': csv('sourcedId,status,dateLastModified,name,type,identifier,parentSourcedId', [
      'o1,,,North School,school,,',
    ]),
    'academicSessions.csv': csv(
      'sourcedId,status,dateLastModified,title,type,startDate,endDate,parentSourcedId,schoolYear',
      ['y1,,,2026/2027,schoolYear,2026-08-23,2027-06-20,,2027', 't1,,,First term,term,2026-08-23,2026-12-20,y1,2027'],
    ),
    'courses.csv': csv(
      'sourcedId,status,dateLastModified,schoolYearSourcedId,title,courseCode,grades,orgSourcedId,subjects,subjectCodes',
      ['c1,,,y1,Mathematics,MATH,"01,02",o1,,'],
    ),
    'classes.csv': csv(
      'sourcedId,status,dateLastModified,title,grades,courseSourcedId,classCode,classType,location,schoolSourcedId,termSourcedIds',
      ['k1,,,1A,01,c1,1A,homeroom,,o1,t1', 'k2,,,Maths 1A,01,c1,M1A,scheduled,,o1,t1'],
    ),
    'users.csv': csv(
      'sourcedId,status,dateLastModified,enabledUser,orgSourcedIds,role,username,userIds,givenName,familyName,middleName,identifier,email,sms,phone,agentSourcedIds,grades,password',
      [
        's1,,,true,o1,student,s1,,سارة,الحربي,علي,1098,,,,g1,01,',
        's2,,,true,o1,student,s2,,"Adam ""A.J.""",Smith,,,,,,,01,',
        'g1,,,true,o1,guardian,g1,,علي,الحربي,,,ali@example.org,+966550000007,,,,',
        'e1,,,true,o1,teacher,e1,,Mona,Saleh,,,mona@example.org,,,,,',
      ],
    ),
    'enrollments.csv': csv(
      'sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role,primary,beginDate,endDate',
      ['n1,,,k1,o1,s1,student,true,,', 'n2,,,k2,o1,s2,student,true,,', 'n3,,,k1,o1,e1,teacher,true,,'],
    ),
    'demographics.csv': csv('sourcedId,status,dateLastModified,birthDate,sex', ['s1,,,2019-03-01,Female']),
  }
}

const csv = (header: string, rows: string[]): string => [header, ...rows, ''].join('\r\n')

export const encode = (files: Record<string, string | Buffer>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString('base64')]))
